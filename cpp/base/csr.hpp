// The data model of all kernels: records as sparse rows (indptr, ids, counts), and a tree numbered in preorder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shoal {

using std::int32_t;
using std::int64_t;

// Borrowed rows: row i is ids[indptr[i] .. indptr[i+1]), sorted and without repeats, each with its count.
struct Rows {
    std::span<const int64_t> indptr;
    std::span<const int32_t> ids;
    std::span<const int32_t> counts;

    int64_t size() const { return static_cast<int64_t>(indptr.size()) - 1; }
    std::span<const int32_t> row_ids(int64_t i) const { return ids.subspan(indptr[i], indptr[i + 1] - indptr[i]); }
    std::span<const int32_t> row_counts(int64_t i) const { return counts.subspan(indptr[i], indptr[i + 1] - indptr[i]); }
    int64_t length(int64_t i) const {
        int64_t total = 0;
        for (int32_t c : row_counts(i)) total += c;
        return total;
    }
};

// Rows that own their memory: what kernels return.
struct OwnedRows {
    std::vector<int64_t> indptr;
    std::vector<int32_t> ids;
    std::vector<int32_t> counts;

    Rows view() const { return {indptr, ids, counts}; }
};

// A rooted tree in preorder: node 0 is the root, the subtree of v is the interval [v, end[v]).
// `up[v]` is the next ancestor that is counted (the parent, or the nearest one with weight), -1 above the topmost.
struct Tree {
    std::span<const int32_t> up;
    std::span<const int32_t> end;

    bool covers(int32_t ancestor, int32_t node) const { return ancestor <= node && node < end[ancestor]; }
};

struct Entry {
    int32_t node;
    int32_t count;
};

}  // namespace shoal
