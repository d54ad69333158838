// Values of the Python module: arrays that travel together, checked once and held for as long as a kernel may read them.
#pragma once

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/bindings.hpp"
#include "lattice/meets.hpp"

// Sparse rows.
struct BoundRows {
    I64 indptr;
    I32 ids, counts;
    shoal::Rows view;
    int32_t highest = -1;  // of the ids

    BoundRows(I64 indptr_, I32 ids_, I32 counts_)
        : indptr(std::move(indptr_)), ids(std::move(ids_)), counts(std::move(counts_)), view(rows(indptr, ids, counts)) {
        for (int64_t i = 0; i < view.size(); ++i)  // ids rise within a row
            if (view.indptr[i] < view.indptr[i + 1]) highest = std::max(highest, view.ids[view.indptr[i + 1] - 1]);
    }
    // Rows whose ids are among n.
    const shoal::Rows& below(std::size_t n) const {
        need(highest < static_cast<int64_t>(n), "ids below the number of nodes");
        return view;
    }
    // Bags on a tree of n nodes: sums over any subtree must fit a count.
    const shoal::Rows& on_tree(std::size_t n) const {
        for (int64_t i = 0; i < view.size(); ++i)
            need(view.length(i) <= std::numeric_limits<int32_t>::max(), "rows of at most 2,147,483,647 occurrences");
        return below(n);
    }
    std::size_t size() const { return indptr.shape(0) - 1; }
};

// A tree in preorder, with the depth of each node.
struct BoundTree {
    I32 parent, end, depth;

    BoundTree(I32 parent_, I32 end_, I32 depth_) : parent(std::move(parent_)), end(std::move(end_)), depth(std::move(depth_)) {
        preorder(span(parent), span(end));
        same_size(end.shape(0), depth.shape(0));
    }
    shoal::Tree view() const { return {span(parent), span(end)}; }
    std::size_t size() const { return end.shape(0); }
};

// Tree counts with what scores need beside them.
struct BoundScored {
    BoundRows counts;
    I64 lengths, owners, weights;
    shoal::Scored data;

    BoundScored(const BoundRows& counts_, I64 lengths_, I64 owners_, I64 weights_, int64_t units, int64_t k, bool owners_repeat)
        : counts(counts_),
          lengths(std::move(lengths_)),
          owners(std::move(owners_)),
          weights(std::move(weights_)),
          data{counts.below(weights.shape(0)), span(lengths), span(owners), span(weights), units, k, owners_repeat} {
        need(lengths.shape(0) == counts.size() && owners.shape(0) == counts.size(), "one length and owner per record");
        need(k >= 1 && units >= 1, "k and units of one or more");
        not_negative(span(weights));
        not_negative(span(lengths));
    }
};

// Groups that share no memory with the data, whose members are rows of it.
inline shoal::GroupsView groups_within(const I64& starts, const I64& members, std::size_t n) {
    group_starts(span(starts), members.shape(0));
    need(span(starts).front() == 0 && span(starts).back() == static_cast<int64_t>(members.shape(0)), "groups that hold all members");
    indices_within(span(members), static_cast<int64_t>(n));
    return {span(starts), span(members)};
}

inline std::pair<Array64, Array64> hand_over(shoal::FlatGroups&& groups) {
    return {hand_over(std::move(groups.starts)), hand_over(std::move(groups.members))};
}
