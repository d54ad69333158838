#include "semantic/transport.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace shoal {

namespace {

constexpr int64_t kUnreached = std::numeric_limits<int64_t>::max();

}  // namespace

int64_t Transport::solve(std::vector<Edge>& edges, std::span<const int32_t> supply, std::span<const int32_t> capacity, int64_t nil) {
    prepare(edges, supply, capacity, nil);
    for (int32_t row = 0; row < static_cast<int32_t>(supply.size()); ++row) {
        if (row_start_[row] == row_start_[row + 1]) continue;
        for (int32_t left = supply[row]; left > 0;) left -= augment(edges, row, left, nil);
    }
    int64_t saved = 0;
    for (const Edge& e : edges) saved += e.flow * (nil - e.cost);
    return saved;
}

void Transport::prepare(std::vector<Edge>& edges, std::span<const int32_t> supply, std::span<const int32_t> capacity, int64_t nil) {
    std::ranges::sort(edges, {}, [](const Edge& e) { return std::pair(e.row, e.column); });
    rows_.assign(supply.size(), {nil, 0, -1, false});
    columns_.resize(capacity.size());
    for (std::size_t j = 0; j < capacity.size(); ++j) columns_[j] = {0, kUnreached, capacity[j], -1, false};
    row_start_.assign(supply.size() + 1, 0);
    column_start_.assign(capacity.size() + 1, 0);
    for (Edge& e : edges) {
        e.flow = 0;
        ++row_start_[e.row + 1];
        ++column_start_[e.column + 1];
        rows_[e.row].potential = std::min(rows_[e.row].potential, e.cost);
    }
    for (std::size_t i = 1; i < row_start_.size(); ++i) row_start_[i] += row_start_[i - 1];
    for (std::size_t j = 1; j < column_start_.size(); ++j) column_start_[j] += column_start_[j - 1];
    column_edges_.resize(edges.size());
    std::vector<int32_t>& at = reached_columns_;
    at.assign(column_start_.begin(), column_start_.end() - 1);
    for (std::size_t i = 0; i < edges.size(); ++i) column_edges_[at[edges[i].column]++] = static_cast<int32_t>(i);
    reached_columns_.clear();
    reached_rows_.clear();
}

// One shortest path from `start` to a column with room, or to the nil of a row on the way. Returns how many units went along.
int32_t Transport::augment(std::vector<Edge>& edges, int32_t start, int32_t wanted, int64_t nil) {
    rows_[start] = {rows_[start].potential, 0, -1, true};
    reached_rows_.push_back(start);
    scan(edges, start);
    int64_t nil_distance = nil - rows_[start].potential;
    int32_t nil_row = start;
    while (!frontier_.empty()) {
        const auto [distance, column] = frontier_.front();
        if (distance > nil_distance) break;
        std::ranges::pop_heap(frontier_, std::greater<>());
        frontier_.pop_back();
        Column& c = columns_[column];
        if (c.done || distance != c.distance) continue;
        c.done = true;
        if (c.free > 0) {
            const int32_t sent = push(edges, column, -1, std::min(wanted, c.free));
            c.free -= sent;
            reset(distance);
            return sent;
        }
        for (int32_t i = column_start_[column]; i < column_start_[column + 1]; ++i) {
            const int32_t edge = column_edges_[i], row = edges[edge].row;
            if (edges[edge].flow == 0 || rows_[row].reached) continue;
            rows_[row] = {rows_[row].potential, distance, edge, true};
            reached_rows_.push_back(row);
            scan(edges, row);
            const int64_t give_up = distance + nil - rows_[row].potential;
            if (give_up < nil_distance) nil_distance = give_up, nil_row = row;
        }
    }
    const int32_t sent = push(edges, -1, nil_row, wanted);
    reset(nil_distance);
    return sent;
}

void Transport::scan(const std::vector<Edge>& edges, int32_t row) {
    const Row& r = rows_[row];
    for (int32_t i = row_start_[row]; i < row_start_[row + 1]; ++i) {
        Column& c = columns_[edges[i].column];
        const int64_t distance = r.distance + edges[i].cost - r.potential - c.potential;
        if (c.done || distance >= c.distance) continue;
        if (c.distance == kUnreached) reached_columns_.push_back(edges[i].column);
        c.distance = distance;
        c.entered = i;
        frontier_.emplace_back(distance, edges[i].column);
        std::ranges::push_heap(frontier_, std::greater<>());
    }
}

// Sends units back along the path that ends in `column`, or in the nil of `last_row` where column is -1.
int32_t Transport::push(std::vector<Edge>& edges, int32_t column, int32_t last_row, int32_t amount) {
    const int32_t end_row = column >= 0 ? edges[columns_[column].entered].row : last_row;
    for (int32_t row = end_row; rows_[row].entered >= 0; row = edges[columns_[edges[rows_[row].entered].column].entered].row)
        amount = std::min(amount, edges[rows_[row].entered].flow);
    if (column >= 0) edges[columns_[column].entered].flow += amount;
    for (int32_t row = end_row; rows_[row].entered >= 0;) {
        Edge& released = edges[rows_[row].entered];
        released.flow -= amount;
        Edge& taken = edges[columns_[released.column].entered];
        taken.flow += amount;
        row = taken.row;
    }
    return amount;
}

// Brings the potentials up to date, so that all reduced costs stay at 0 or more, and forgets the search.
void Transport::reset(int64_t shortest) {
    for (int32_t row : reached_rows_) {
        rows_[row].potential += shortest - rows_[row].distance;
        rows_[row].reached = false;
    }
    for (int32_t column : reached_columns_) {
        Column& c = columns_[column];
        if (c.done) c.potential -= shortest - c.distance;
        c.distance = kUnreached;
        c.done = false;
    }
    reached_rows_.clear();
    reached_columns_.clear();
    frontier_.clear();
}

}  // namespace shoal
