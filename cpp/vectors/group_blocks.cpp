#include "vectors/group_blocks.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/noise.hpp"

namespace shoal {

namespace {

class Cutting {
public:
    Cutting(std::span<const double> centres, int64_t columns, int64_t size, uint64_t seed)
        : centres_(centres), columns_(columns), size_(size), seed_(seed) {}

    void cut(std::span<int64_t> groups, uint64_t place) {
        const auto n = static_cast<int64_t>(groups.size());
        if (n <= size_) {
            blocks.emplace_back(groups.begin(), groups.end());
            return;
        }
        const int64_t j = attribute(groups, place);
        // Somewhere in the middle third, so that another seed draws the line elsewhere.
        const int64_t first = n / 3 + static_cast<int64_t>(noise(seed_, place, 1) % static_cast<uint64_t>(n / 3 + 1));
        std::nth_element(groups.begin(), groups.begin() + first, groups.end(), [&](int64_t a, int64_t b) {
            const double x = centres_[a * columns_ + j], y = centres_[b * columns_ + j];
            return x < y || (x == y && a < b);
        });
        std::sort(groups.begin(), groups.begin() + first);
        std::sort(groups.begin() + first, groups.end());
        cut(groups.first(first), 2 * place);
        cut(groups.subspan(first), 2 * place + 1);
    }

    std::vector<std::vector<int64_t>> blocks;

private:
    // One of the three attributes with the widest ranges.
    int64_t attribute(std::span<const int64_t> groups, uint64_t place) const {
        std::vector<std::pair<double, int64_t>> ranges;
        for (int64_t j = 0; j < columns_; ++j) {
            double low = std::numeric_limits<double>::infinity(), high = -low;
            for (int64_t g : groups) {
                low = std::min(low, centres_[g * columns_ + j]);
                high = std::max(high, centres_[g * columns_ + j]);
            }
            ranges.emplace_back(low - high, j);
        }
        std::sort(ranges.begin(), ranges.end());
        return ranges[noise(seed_, place, 0) % static_cast<uint64_t>(std::min<int64_t>(3, columns_))].second;
    }

    std::span<const double> centres_;
    int64_t columns_, size_;
    uint64_t seed_;
};

}  // namespace

std::vector<double> group_centres(Matrix data, const std::vector<Members>& groups) {
    std::vector<double> centres(groups.size() * data.columns);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        double* mean = centres.data() + g * data.columns;
        for (int64_t row : groups[g])
            for (int64_t j = 0; j < data.columns; ++j) mean[j] += data.row(row)[j];
        for (int64_t j = 0; j < data.columns; ++j) mean[j] /= static_cast<double>(groups[g].size());
    }
    return centres;
}

std::vector<std::vector<int64_t>> group_blocks(std::span<const double> centres, int64_t groups, int64_t columns, int64_t size,
                                               uint64_t seed) {
    std::vector<int64_t> all(groups);
    std::iota(all.begin(), all.end(), 0);
    Cutting cutting(centres, columns, size, seed);
    cutting.cut(all, 1);
    return std::move(cutting.blocks);
}

}  // namespace shoal
