#include "vectors/fields.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"

namespace shoal {

namespace {

constexpr int64_t block = 2048;  // units that a thread takes at once

double field_distance(const FieldUnits& data, std::span<const double> point, int64_t unit, int64_t field) {
    const int64_t at = unit * data.fields + field;
    double shared = 0;
    int64_t own = 0;
    for (int64_t i = data.starts[at]; i < data.starts[at + 1]; ++i) {
        own += data.counts[i];
        shared += std::min(point[data.values[i]], static_cast<double>(data.counts[i]));
    }
    const double all = point[data.n_values + field] + static_cast<double>(own);
    return all > 0 ? std::max(0.0, 1 - 2 * shared / all) : 0;
}

double distance(const FieldUnits& data, std::span<const double> point, int64_t unit) {
    double sum = 0;
    for (int64_t f = 0; f < data.fields; ++f)
        if (data.weights[f] > 0) sum += data.weights[f] * field_distance(data, point, unit, f);
    for (int64_t c = 0; c < data.columns; ++c) {
        const double apart = std::abs(data.numbers[unit * data.columns + c] - point[data.n_values + data.fields + c]);
        sum += data.weights[data.fields + c] * std::min(1.0, apart);
    }
    return sum;
}

}  // namespace

std::vector<double> mean_unit(const FieldUnits& data, std::span<const int64_t> units) {
    std::vector<double> point(data.point_size());
    for (int64_t u : units) {
        for (int64_t f = 0; f < data.fields; ++f) {
            for (int64_t i = data.starts[u * data.fields + f]; i < data.starts[u * data.fields + f + 1]; ++i) {
                point[data.values[i]] += data.counts[i];  // whole numbers: exact in any order
                point[data.n_values + f] += data.counts[i];
            }
        }
        for (int64_t c = 0; c < data.columns; ++c) point[data.n_values + data.fields + c] += data.numbers[u * data.columns + c];
    }
    for (double& x : point) x /= static_cast<double>(units.size());
    return point;
}

std::vector<double> field_distances(const FieldUnits& data, std::span<const double> point, std::span<const int64_t> units, int threads,
                                    Task& task) {
    std::vector<double> found(units.size());
    parallel_blocks(static_cast<int64_t>(units.size()), block, threads, task, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) found[i] = distance(data, point, units[i]);
    });
    return found;
}

}  // namespace shoal
