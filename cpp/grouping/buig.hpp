// BUIG as printed (thesis, Algorithm 5.6), of two records at a time, as Lemma 4.1.1 has it. It is no least common generalization: line 4
// forgets duplicates, and what one record has more of than the other below a common node is dropped instead of counting for the parent.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/csr.hpp"

namespace shoal {

class Buig {
public:
    explicit Buig(const Tree& tree) : tree_(tree), left_(tree.up.size(), 0), right_(tree.up.size(), 0) {}

    // What is published of a record and a bag, in preorder, padded with the root to the shorter length.
    std::span<const Entry> generalize(const std::vector<Entry>& bag, std::span<const int32_t> items, int64_t shorter) {
        out_.clear();
        begin(bag, items);
        int64_t left = static_cast<int64_t>(bag.size()), right = static_cast<int64_t>(items.size()), published = 0;
        while (!nodes_.empty()) {
            const int32_t node = pop();
            const int32_t a = std::exchange(left_[node], 0), b = std::exchange(right_[node], 0);
            if (node == 0 || left == 0 || right == 0) continue;  // nothing more in common: only the counts are cleared
            if (a > 0 && b > 0) {
                out_.push_back({node, std::min(a, b)});
                published += std::min(a, b);
                left -= a, right -= b;
            } else {
                add(tree_.up[node], a, b);
            }
        }
        if (published < shorter) out_.push_back({0, static_cast<int32_t>(shorter - published)});
        std::ranges::reverse(out_);
        return out_;
    }

private:
    void begin(const std::vector<Entry>& bag, std::span<const int32_t> items) {
        for (const Entry& e : bag) add(e.node, 1, 0);
        for (int32_t item : items) add(item, 0, 1);
    }

    void add(int32_t node, int32_t a, int32_t b) {
        if (left_[node] == 0 && right_[node] == 0) {
            nodes_.push_back(node);
            std::ranges::push_heap(nodes_);
        }
        left_[node] += a;
        right_[node] += b;
    }

    // The greatest number first: in preorder all nodes below a node come after it.
    int32_t pop() {
        std::ranges::pop_heap(nodes_);
        const int32_t node = nodes_.back();
        nodes_.pop_back();
        return node;
    }

    Tree tree_;
    std::vector<int32_t> left_, right_;  // items below each node that are not published yet
    std::vector<int32_t> nodes_;         // a heap of the nodes with any
    std::vector<Entry> out_;
};

}  // namespace shoal
