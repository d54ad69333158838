// Two steps of publishing from below: which sets of nodes are too rare, and what each record gives up because of them. Their order, and
// what is tried next, is in `itemsets/km_from_below.py`, which also runs them on the parts of a cluster.
#pragma once

#include "cuts/rare_sets.hpp"

namespace shoal {

// Records as they are published: places with the same record are neighbours; no_node where nothing is published. Fresh places publish
// something only since the present step, and may give it up again.
struct ShownPlaces {
    std::span<const int64_t> indptr;
    std::span<const int32_t> shown;
    std::span<const uint8_t> fresh;
};

// What the records publish, kept for the search of rare sets. At first they publish nothing.
class PublishedRecords {
public:
    // Rows have a place for each of their ids. Records of one owner follow one another, and `owners` is empty where none has two.
    PublishedRecords(const Rows& rows, std::span<const int64_t> owners, std::size_t nodes, int64_t k, int64_t m);
    PublishedRecords(const PublishedRecords&) = delete;
    PublishedRecords& operator=(const PublishedRecords&) = delete;

    std::size_t nodes() const { return up_.size(); }
    int64_t most() const { return problem_.m; }  // nodes of a set
    int32_t at(int64_t place) const { return tokens_.at(place); }
    const Tokens& tokens() const { return tokens_; }
    // Sorted by place.
    void publish(std::span<const Move> moves) { tokens_.move(moves); }
    // All minimal sets of at most m nodes that hold one of the `changed` nodes and that fewer than k people publish, and who does.
    RareFound rare_sets(std::span<const int32_t> changed, const Task& task);

private:
    std::vector<int32_t> up_;
    std::vector<uint8_t> publishable_;
    RecodingProblem problem_;
    Tokens tokens_;
    RareSets rare_;
};

// 1 at every place that gives up what it shows. Each record that holds rare sets gives up fresh nodes that hit all of them: again and again
// the one that hits most of those that are left, of equals the one that is in more rare sets `everywhere`, then the one of the lower
// number. Each set must have a node that its record publishes at fresh places only.
std::vector<uint8_t> given_up(const ShownPlaces& places, const RareFound& found, std::span<const int64_t> everywhere, const Task& task);

}  // namespace shoal
