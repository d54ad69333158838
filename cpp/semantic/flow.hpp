// Minimum-cost flow by shortest augmenting paths, for networks whose arcs cost nothing less than 0.
#pragma once

#include <utility>

#include "base/csr.hpp"

namespace shoal {

class Flow {
public:
    explicit Flow(int32_t nodes) : first_(nodes, -1), potential_(nodes, 0), distance_(nodes), entered_(nodes), done_(nodes, 0) {}

    // Returns the arc's number.
    int32_t arc(int32_t from, int32_t to, int32_t capacity, int64_t cost);

    // Sends this much from source to sink at the least additional cost; there must always be a way.
    void send(int32_t source, int32_t sink, int32_t amount);

    int64_t cost() const;
    int32_t sent(int32_t arc) const { return arcs_[arc ^ 1].room; }

private:
    struct Arc {
        int32_t to;
        int32_t next;
        int32_t room;
        int64_t cost;
    };

    void search(int32_t source, int32_t sink);

    std::vector<Arc> arcs_;  // each arc is followed by its reverse
    std::vector<int32_t> first_;
    std::vector<int64_t> potential_, distance_;
    std::vector<int32_t> entered_, reached_;
    std::vector<uint8_t> done_;
    std::vector<std::pair<int64_t, int32_t>> frontier_;
};

}  // namespace shoal
