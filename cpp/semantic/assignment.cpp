#include "semantic/assignment.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/wide_vectors.hpp"

namespace shoal {

namespace {

constexpr int kPasses = 2;
constexpr std::size_t kSteps = 4;
constexpr int64_t kSettled = std::numeric_limits<int64_t>::max();  // farther than any column that is still open

// Loops over all columns are compiled twice: with vectors of 32 bytes, and for every processor.
#define SHOAL_INLINED [[gnu::always_inline]] inline

// Costs less prices; returns the least.
SHOAL_INLINED int64_t reduce_loop(const int64_t* __restrict cost, const int64_t* __restrict price, int64_t n, int64_t* __restrict out) {
    int64_t least = kSettled;
    for (int64_t j = 0; j < n; ++j) {
        out[j] = cost[j] - price[j];
        least = std::min(least, out[j]);
    }
    return least;
}

SHOAL_INLINED int64_t least_loop(const int64_t* values, int64_t n) {
    int64_t least = kSettled;
    for (int64_t j = 0; j < n; ++j) least = std::min(least, values[j]);
    return least;
}

// Distances by way of a row at this base, where these are shorter; returns the least distance.
SHOAL_INLINED int64_t relax_loop(const int64_t* __restrict cost, const int64_t* __restrict price, int64_t base, int32_t row, int64_t n,
                                 int64_t* __restrict distance, int64_t* __restrict entered) {
    int64_t least = kSettled;
    for (int64_t j = 0; j < n; ++j) {
        const int64_t through = base + cost[j] - price[j], so_far = distance[j];
        const bool nearer = (through < so_far) & (so_far != kSettled);
        distance[j] = nearer ? through : so_far;
        entered[j] = nearer ? row : entered[j];
        least = std::min(least, distance[j]);
    }
    return least;
}

#ifdef SHOAL_X86_64
SHOAL_WIDE int64_t reduce_wide(const int64_t* cost, const int64_t* price, int64_t n, int64_t* out) {
    return reduce_loop(cost, price, n, out);
}
SHOAL_WIDE int64_t least_wide(const int64_t* values, int64_t n) { return least_loop(values, n); }
SHOAL_WIDE int64_t relax_wide(const int64_t* cost, const int64_t* price, int64_t base, int32_t row, int64_t n, int64_t* distance,
                              int64_t* entered) {
    return relax_loop(cost, price, base, row, n, distance, entered);
}
#endif

int64_t reduced(const int64_t* cost, const int64_t* price, int64_t n, int64_t* out) {
#ifdef SHOAL_X86_64
    if (wide_vectors) return reduce_wide(cost, price, n, out);
#endif
    return reduce_loop(cost, price, n, out);
}

int64_t least_of(const int64_t* values, int64_t n) {
#ifdef SHOAL_X86_64
    if (wide_vectors) return least_wide(values, n);
#endif
    return least_loop(values, n);
}

int64_t relaxed(const int64_t* cost, const int64_t* price, int64_t base, int32_t row, int64_t n, int64_t* distance, int64_t* entered) {
#ifdef SHOAL_X86_64
    if (wide_vectors) return relax_wide(cost, price, base, row, n, distance, entered);
#endif
    return relax_loop(cost, price, base, row, n, distance, entered);
}

}  // namespace

std::span<const int32_t> Assignment::solve(std::span<const int64_t> cost, int32_t rows, int32_t columns) {
    price_.assign(columns, 0);
    distance_.resize(columns);
    final_.resize(columns);
    row_of_.assign(columns, -1);
    entered_.resize(columns);
    reduced_.resize(columns);
    column_of_.assign(rows, -1);
    free_.resize(rows);
    std::iota(free_.begin(), free_.end(), 0);
    for (int pass = 0; pass < kPasses && columns > 1; ++pass) reduce_rows(cost, columns);
    for (int32_t row : free_) augment(row, shortest_path(cost, row, columns));
    return column_of_;
}

// Gives each free row its nearest column, at a price that makes the second nearest as near; a row that loses its column is free again.
void Assignment::reduce_rows(std::span<const int64_t> cost, int32_t columns) {
    waiting_.assign(free_.rbegin(), free_.rend());
    std::size_t left = kSteps * free_.size();  // prices may creep: what is not settled by then is left to the shortest paths
    free_.clear();
    while (!waiting_.empty()) {
        const int32_t row = waiting_.back();
        waiting_.pop_back();
        const Nearest near = nearest(cost.subspan(static_cast<std::size_t>(row) * columns, columns));
        const bool alone = near.distance < near.second_distance;
        price_[near.column] -= near.second_distance - near.distance;
        const int32_t column = !alone && row_of_[near.column] >= 0 ? near.second : near.column;
        const int32_t loser = row_of_[column];
        row_of_[column] = row;
        column_of_[row] = column;
        if (loser < 0) continue;
        column_of_[loser] = -1;
        (alone && left > 0 ? waiting_ : free_).push_back(loser);
        left -= left > 0;
    }
    std::sort(free_.begin(), free_.end());
}

// The two columns that are nearest at the present prices; of equals the first.
Assignment::Nearest Assignment::nearest(std::span<const int64_t> costs) {
    const auto n = static_cast<int64_t>(costs.size());
    const auto place_of = [&](int64_t distance) {
        return static_cast<int32_t>(std::find(reduced_.begin(), reduced_.begin() + n, distance) - reduced_.begin());
    };
    Nearest found{};
    found.distance = reduced(costs.data(), price_.data(), n, reduced_.data());
    found.column = place_of(found.distance);
    reduced_[found.column] = kSettled;
    found.second_distance = least_of(reduced_.data(), n);
    if (found.second_distance == found.distance) found.second = place_of(found.second_distance);
    return found;
}

// The free column at which the shortest path from this row ends; prices of the columns on the way are brought up to date.
int32_t Assignment::shortest_path(std::span<const int64_t> cost, int32_t start, int32_t columns) {
    settled_.clear();
    const int64_t* costs = cost.data() + static_cast<std::size_t>(start) * columns;
    int64_t least = reduced(costs, price_.data(), columns, distance_.data());
    std::fill_n(entered_.begin(), columns, start);
    for (;;) {
        const auto column = static_cast<int32_t>(std::find(distance_.begin(), distance_.begin() + columns, least) - distance_.begin());
        const int64_t reached = distance_[column];
        if (row_of_[column] < 0) {
            for (int32_t j : settled_) price_[j] += final_[j] - reached;
            return column;
        }
        settled_.push_back(column);
        final_[column] = reached;
        distance_[column] = kSettled;
        const int32_t row = row_of_[column];
        costs = cost.data() + static_cast<std::size_t>(row) * columns;
        const int64_t base = reached - (costs[column] - price_[column]);
        least = relaxed(costs, price_.data(), base, row, columns, distance_.data(), entered_.data());
    }
}

void Assignment::augment(int32_t start, int32_t end) {
    for (int32_t column = end;;) {
        const auto row = static_cast<int32_t>(entered_[column]);
        row_of_[column] = row;
        std::swap(column, column_of_[row]);
        if (row == start) return;
    }
}

}  // namespace shoal
