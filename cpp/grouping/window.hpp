// The open clusters that a record is tried on, side by side: for every node how often each of them holds it, so that one pass over a
// record's nodes scores them all at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace shoal {

class Window {
public:
    static constexpr int64_t kWidest = 32;

    Window(int64_t nodes, int64_t slots) : width_((slots + 3) / 4 * 4), held_(nodes * width_, 0), values_(width_, 0) {}

    // Shows or hides a cluster's meet in a slot; Held has a node and a count.
    template <class Held>
    void show(int64_t slot, const std::vector<Held>& meet) {
        for (const Held& e : meet) held_[e.node * width_ + slot] = e.count;
    }
    template <class Held>
    void hide(int64_t slot, const std::vector<Held>& meet) {
        for (const Held& e : meet) held_[e.node * width_ + slot] = 0;
    }

    // What the meet of this record with the cluster in each slot is worth. Weights fit in 32 bits, so the products are exact.
    std::span<const int64_t> values(std::span<const int32_t> nodes, std::span<const int32_t> amounts, std::span<const int64_t> weight) {
        std::ranges::fill(values_, 0);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const int32_t* row = &held_[nodes[i] * width_];
            const auto worth = static_cast<uint32_t>(weight[nodes[i]]);
            for (int64_t s = 0; s < width_; ++s)
                values_[s] += static_cast<int64_t>(uint64_t{worth} * static_cast<uint32_t>(std::min(row[s], amounts[i])));
        }
        return values_;
    }

private:
    int64_t width_;
    std::vector<int32_t> held_;
    std::vector<int64_t> values_;
};

}  // namespace shoal
