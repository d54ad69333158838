#include "semantic/flow.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace shoal {

namespace {

constexpr int64_t kInfinite = std::numeric_limits<int64_t>::max();

}  // namespace

int32_t Flow::arc(int32_t from, int32_t to, int32_t capacity, int64_t cost) {
    const auto number = static_cast<int32_t>(arcs_.size());
    arcs_.push_back({to, first_[from], capacity, cost});
    first_[from] = number;
    arcs_.push_back({from, first_[to], 0, -cost});
    first_[to] = number + 1;
    return number;
}

void Flow::send(int32_t source, int32_t sink, int32_t amount) {
    if (reached_.empty()) std::ranges::fill(distance_, kInfinite);
    while (amount > 0) {
        search(source, sink);
        int32_t width = amount;
        for (int32_t v = sink; v != source; v = arcs_[entered_[v] ^ 1].to) width = std::min(width, arcs_[entered_[v]].room);
        for (int32_t v = sink; v != source; v = arcs_[entered_[v] ^ 1].to) {
            arcs_[entered_[v]].room -= width;
            arcs_[entered_[v] ^ 1].room += width;
        }
        amount -= width;
    }
}

int64_t Flow::cost() const {
    int64_t total = 0;
    for (std::size_t a = 0; a < arcs_.size(); a += 2) total += arcs_[a].cost * arcs_[a + 1].room;
    return total;
}

// Dijkstra on reduced costs up to the sink; potentials are then brought up to date, so that reduced costs stay at 0 or more.
void Flow::search(int32_t source, int32_t sink) {
    for (int32_t v : reached_) distance_[v] = kInfinite, done_[v] = 0;
    reached_.assign(1, source);
    frontier_.assign(1, {0, source});
    distance_[source] = 0;
    while (!done_[sink]) {
        const auto [distance, node] = frontier_.front();
        std::ranges::pop_heap(frontier_, std::greater<>());
        frontier_.pop_back();
        if (done_[node]) continue;
        done_[node] = 1;
        if (node == sink) break;
        for (int32_t a = first_[node]; a >= 0; a = arcs_[a].next) {
            const Arc& arc = arcs_[a];
            const int64_t there = distance + arc.cost + potential_[node] - potential_[arc.to];
            if (arc.room == 0 || done_[arc.to] || there >= distance_[arc.to]) continue;
            if (distance_[arc.to] == kInfinite) reached_.push_back(arc.to);
            distance_[arc.to] = there;
            entered_[arc.to] = a;
            frontier_.emplace_back(there, arc.to);
            std::ranges::push_heap(frontier_, std::greater<>());
        }
    }
    for (int32_t v : reached_)
        if (done_[v]) potential_[v] += distance_[v] - distance_[sink];
}

}  // namespace shoal
