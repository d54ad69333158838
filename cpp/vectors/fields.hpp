// Units described by several fields: bags of values of a field, each value with all that lies above it, and numbers.
//
// The distance of a field is one minus twice the shared occurrences over all occurrences (Bray and Curtis). Of two single values on a tree
// it is (a + b - 2 c) / (a + b) for paths of a and b nodes of which c are common; of two plain values it is 0 or 1. Numbers, which are
// scaled by the caller, differ by at most 1. A point is a mean of units: how often each value occurs, and the numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/task.hpp"

namespace shoal {

using std::int32_t;
using std::int64_t;

// Borrowed: field f of unit u holds values[starts[u * fields + f]] up to the next start, each with its count; numbers are rows of columns.
struct FieldUnits {
    std::span<const int64_t> starts;
    std::span<const int32_t> values;
    std::span<const int32_t> counts;
    std::span<const double> numbers;
    std::span<const double> weights;  // of the fields, then of the numbers
    int64_t fields;
    int64_t columns;
    int64_t n_values;  // values are below it

    int64_t units() const { return (static_cast<int64_t>(starts.size()) - 1) / fields; }
    int64_t point_size() const { return n_values + fields + columns; }
};

// A point as numbers: the mean count of every value, the mean total of each field, the means of the numbers.
std::vector<double> mean_unit(const FieldUnits& data, std::span<const int64_t> units);

// The weighted sum of the distances of all fields and numbers, for each of these units.
std::vector<double> field_distances(const FieldUnits& data, std::span<const double> point, std::span<const int64_t> units, int threads,
                                    Task& task);

}  // namespace shoal
