// Records as they are published: at every place of the original rows a node at or above the item that stands there, or nothing.
#pragma once

#include <algorithm>

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

// What a search for a recoding reads. Rows are sets; records of one owner follow one another, and `owners` is empty where none has two.
struct RecodingProblem {
    const Rows& rows;
    std::span<const int64_t> owners;
    Tree tree;                             // `up` is the parent
    std::span<const int64_t> loss;         // of an occurrence published as each node, rising towards the root
    std::span<const uint8_t> publishable;  // 0: the node must not be published, nor any above it
    int64_t suppressed;                    // the loss of an occurrence that is not published
    int64_t k;
    int64_t m;

    int64_t owner(int32_t record) const { return owners.empty() ? record : owners[record]; }
    // What a place loses where this node stands, or nothing.
    int64_t loss_at(int32_t node) const { return node < 0 ? suppressed : loss[node]; }
};

inline constexpr int32_t no_node = -1;

// A list as a set: sorted, each value once.
template <class Value>
void sort_unique(std::vector<Value>& values) {
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

// A place of the original rows, and the node that is put there.
struct Move {
    int64_t place;
    int32_t node;
};

// The node at every place, the published rows that follow from it, and who publishes what. A node that must not be published may stand at
// a place, so that it can be replaced by nodes below it; rows and holders are without it.
class Tokens {
public:
    // Every item as it is.
    explicit Tokens(const RecodingProblem& problem);

    const RecodingProblem& problem() const { return problem_; }
    int32_t at(int64_t place) const { return node_at_[place]; }
    // Published nodes of a record, rising and each once.
    std::span<const int32_t> row(int32_t record) const;
    // Records that publish a node, rising.
    std::span<const int32_t> holders(int32_t node) const { return holders_[node]; }
    // Places of a record at which a node stands.
    void places(int32_t record, int32_t node, std::vector<int64_t>& out) const;

    // The records at which a node stands, published or not.
    std::vector<int32_t> records_at(int32_t node) const;

    // Publishes nothing.
    void clear();
    // Sorted by place.
    void move(std::span<const Move> moves);
    // What is published at every place; no_node where nothing is.
    std::vector<int32_t> published() const;
    // What all places together lose.
    int64_t loss() const;

private:
    // A node that a record begins to publish, or no longer does.
    struct Change {
        int32_t node;
        int32_t record;
        bool begins;
        auto operator<=>(const Change&) const = default;
    };
    // Up to so many moves, looking for each of their nodes in a record takes less time than writing its row again.
    static constexpr std::size_t few_moves = 8;
    std::size_t places_of(int32_t record) const {
        return static_cast<std::size_t>(problem_.rows.indptr[record + 1] - problem_.rows.indptr[record]);
    }
    bool shown(int32_t node) const { return node != no_node && problem_.publishable[node]; }
    void write_row(int32_t record);
    void change_row(int32_t record, std::span<const Move> moves, std::vector<Change>& changes);
    void rewrite_row(int32_t record, std::span<const Move> moves, std::vector<Change>& changes);
    void update_holders(std::span<const Change> changes);

    const RecodingProblem& problem_;
    std::vector<int32_t> node_at_, row_nodes_, row_length_;
    std::vector<std::vector<int32_t>> holders_;
    std::vector<int32_t> before_;  // what stood in a row before it changed
};

}  // namespace shoal
