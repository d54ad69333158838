#include "semantic/assignment.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace shoal {

namespace {

constexpr int kPasses = 2;
constexpr std::size_t kSteps = 4;
constexpr int64_t kSettled = std::numeric_limits<int64_t>::max();  // farther than any column that is still open

}  // namespace

std::span<const int32_t> Assignment::solve(std::span<const int64_t> cost, int32_t rows, int32_t columns) {
    price_.assign(columns, 0);
    distance_.resize(columns);
    final_.resize(columns);
    row_of_.assign(columns, -1);
    entered_.resize(columns);
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

// The two columns that are nearest at the present prices.
Assignment::Nearest Assignment::nearest(std::span<const int64_t> costs) const {
    Nearest found{0, -1, costs[0] - price_[0], kSettled};
    for (std::size_t j = 1; j < costs.size(); ++j) {
        const int64_t here = costs[j] - price_[j];
        if (here >= found.second_distance) continue;
        const bool first = here < found.distance;
        found.second = first ? found.column : static_cast<int32_t>(j);
        found.second_distance = first ? found.distance : here;
        if (first) found.column = static_cast<int32_t>(j), found.distance = here;
    }
    return found;
}

// The free column at which the shortest path from this row ends; prices of the columns on the way are brought up to date.
int32_t Assignment::shortest_path(std::span<const int64_t> cost, int32_t start, int32_t columns) {
    settled_.clear();
    const int64_t* costs = cost.data() + static_cast<std::size_t>(start) * columns;
    for (int32_t j = 0; j < columns; ++j) {
        distance_[j] = costs[j] - price_[j];
        entered_[j] = start;
    }
    for (;;) {
        int32_t column = 0;
        for (int32_t j = 1; j < columns; ++j)
            if (distance_[j] < distance_[column]) column = j;
        const int64_t reached = distance_[column];
        if (row_of_[column] < 0) {
            for (int32_t j : settled_) price_[j] += final_[j] - reached;
            return column;
        }
        settled_.push_back(column);
        final_[column] = reached;
        const int32_t row = row_of_[column];
        costs = cost.data() + static_cast<std::size_t>(row) * columns;
        const int64_t base = reached - (costs[column] - price_[column]);
        for (int32_t j = 0; j < columns; ++j) {
            const int64_t through = base + costs[j] - price_[j];
            const bool nearer = through < distance_[j] && distance_[j] != kSettled;
            distance_[j] = nearer ? through : distance_[j];
            entered_[j] = nearer ? row : entered_[j];
        }
        distance_[column] = kSettled;
    }
}

void Assignment::augment(int32_t start, int32_t end) {
    for (int32_t column = end;;) {
        const int32_t row = entered_[column];
        row_of_[column] = row;
        std::swap(column, column_of_[row]);
        if (row == start) return;
    }
}

}  // namespace shoal
