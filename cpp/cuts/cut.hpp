// A cut of the taxonomy: global recoding of full subtrees. Where an item is published as a node above it, so are all items below that node,
// in every record. A node of the cut may be suppressed; it stays in the cut, so that it can be restored.
#pragma once

#include "cuts/tokens.hpp"

namespace shoal {

// An item and the node of the cut that it belongs to.
struct Image {
    int32_t item;
    int32_t node;
};

class Cut {
public:
    // Every item is a node of its own. The tokens must publish every item as it is.
    explicit Cut(Tokens& tokens);

    const RecodingProblem& problem() const { return tokens_.problem(); }
    const Tokens& tokens() const { return tokens_; }
    bool suppressed(int32_t node) const { return suppressed_[node]; }
    std::span<const int32_t> items_of(int32_t node) const { return items_of_[node]; }
    // All nodes of the cut, rising.
    std::vector<int32_t> nodes() const;
    // Items that occur below a node, itself among them.
    std::span<const int32_t> items_below(int32_t node) const;
    int64_t occurrences(int32_t item) const { return static_cast<int64_t>(places_of_[item].size()); }
    // Records that hold an item, whatever it is published as.
    std::vector<int32_t> records_of(int32_t item) const;

    // The loss of a node's items, were it published, and were it suppressed.
    int64_t loss_published(int32_t node) const { return occurrences_of_node(node) * problem().loss[node]; }
    int64_t loss_suppressed(int32_t node) const { return occurrences_of_node(node) * problem().suppressed; }
    int64_t loss(int32_t node) const { return suppressed_[node] ? loss_suppressed(node) : loss_published(node); }

    // Moves items to other nodes of the cut, which are published.
    void assign(std::span<const Image> images);
    // All items below a node become the node, which is published.
    void merge(int32_t node);
    void suppress(int32_t node) { show(node, false); }
    void restore(int32_t node) { show(node, true); }

private:
    int64_t occurrences_of_node(int32_t node) const;
    void show(int32_t node, bool published);

    Tokens& tokens_;
    std::vector<std::vector<int64_t>> places_of_;  // by item
    std::vector<std::vector<int32_t>> items_of_;   // by node of the cut
    std::vector<int32_t> node_of_, items_;         // items_: all that occur, rising
    std::vector<uint8_t> suppressed_;
};

}  // namespace shoal
