// Helpers of the bindings: views of numpy arrays, checks that keep bad indices out of the kernels, and handing memory to numpy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "base/csr.hpp"

using I64 = nanobind::ndarray<const int64_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using I32 = nanobind::ndarray<const int32_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using U8 = nanobind::ndarray<const uint8_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

using Array64 = nanobind::ndarray<nanobind::numpy, int64_t, nanobind::ndim<1>>;  // what Python is given
using Array32 = nanobind::ndarray<nanobind::numpy, int32_t, nanobind::ndim<1>>;
using Array8 = nanobind::ndarray<nanobind::numpy, uint8_t, nanobind::ndim<1>>;

inline std::span<const uint8_t> span(const U8& a) { return {a.data(), a.shape(0)}; }
inline std::span<const int64_t> span(const I64& a) { return {a.data(), a.shape(0)}; }
inline std::span<const int32_t> span(const I32& a) { return {a.data(), a.shape(0)}; }

inline void need(bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(std::string("kernel input: expected ") + what);
}

// Rows as they come: in any order, with repeats. Only canonical_rows and renamed_rows take them so.
inline shoal::Rows loose_rows(const I64& indptr, const I32& ids, const I32& counts) {
    need(indptr.shape(0) >= 1 && ids.shape(0) == counts.shape(0), "rows: indptr not empty, as many ids as counts");
    const shoal::Rows r{span(indptr), span(ids), span(counts)};
    need(r.indptr.front() == 0 && r.indptr.back() == static_cast<int64_t>(r.ids.size()), "indptr to span all ids");
    for (std::size_t i = 1; i < r.indptr.size(); ++i) need(r.indptr[i - 1] <= r.indptr[i], "indptr to rise");
    return r;
}

// Rows in canonical form, which all other kernels rely on: ids from 0 that rise within a row, each counted once or more.
inline shoal::Rows rows(const I64& indptr, const I32& ids, const I32& counts) {
    const shoal::Rows r = loose_rows(indptr, ids, counts);
    for (int64_t i = 0; i < r.size(); ++i) {
        int32_t last = -1;
        for (int32_t id : r.row_ids(i)) {
            need(id > last, "ids from 0 that rise within a row");
            last = id;
        }
    }
    for (int32_t count : r.counts) need(count >= 1, "counts of at least 1");
    return r;
}

inline void ids_within(const shoal::Rows& r, int64_t nodes) {
    for (int32_t id : r.ids) need(id >= 0 && id < nodes, "ids below the number of nodes");
}

inline void same_size(std::size_t a, std::size_t b) { need(a == b, "arrays of one size, where they describe the same things"); }

// The subtree of node v is [v, end[v]).
inline void subtree_ends(std::span<const int32_t> end) {
    const auto n = static_cast<int32_t>(end.size());
    for (int32_t v = 0; v < n; ++v) need(end[v] > v && end[v] <= n, "subtrees that end behind their node and within the tree");
}

// A tree in preorder: every parent before its children and around them.
inline void preorder(std::span<const int32_t> parent, std::span<const int32_t> end) {
    same_size(parent.size(), end.size());
    subtree_ends(end);
    const auto n = static_cast<int32_t>(parent.size());
    need(n > 0 && parent[0] == -1 && end[0] == n, "a tree with one root, its first node");
    for (int32_t v = 1; v < n; ++v)
        need(parent[v] >= 0 && parent[v] < v && end[v] <= end[parent[v]], "nodes in preorder, within their parents");
}

// Ancestors that may be skipped to: above the node itself, or none.
inline void lower_numbers(std::span<const int32_t> up, int32_t from) {
    for (std::size_t v = 0; v < up.size(); ++v)
        need(up[v] >= -1 && up[v] < static_cast<int32_t>(v) + from, "ancestors that come before their nodes");
}

inline void not_negative(std::span<const int64_t> values) {
    for (int64_t v : values) need(v >= 0, "numbers that are not negative");
}

inline void indices_within(std::span<const int64_t> indices, int64_t n) {
    for (int64_t i : indices) need(i >= 0 && i < n, "indices below the number of rows");
}

inline void indices_within(std::span<const int32_t> indices, int64_t n) {
    for (int32_t i : indices) need(i >= 0 && i < n, "indices below the number of rows");
}

// Rows that are there; below 0 stands for none.
inline void rows_or_none(std::span<const int64_t> row, int64_t n) {
    for (int64_t r : row) need(r < n, "rows that are there");
}

// All records, each once.
inline void permutation(std::span<const int64_t> order, int64_t n) {
    same_size(order.size(), static_cast<std::size_t>(n));
    indices_within(order, n);
    std::vector<bool> seen(static_cast<std::size_t>(n), false);
    for (int64_t i : order) {
        need(!seen[i], "an order that names each record once");
        seen[i] = true;
    }
}

inline void group_starts(std::span<const int64_t> starts, std::size_t members) {
    need(!starts.empty() && starts.front() >= 0 && starts.back() <= static_cast<int64_t>(members), "group starts within the members");
    for (std::size_t g = 1; g < starts.size(); ++g) need(starts[g - 1] <= starts[g], "group starts to rise");
}

// Runs a kernel without the GIL, so that the caller's thread can watch and cancel it.
template <class Kernel>
auto unlocked(Kernel&& kernel) {
    nanobind::gil_scoped_release release;
    return kernel();
}

// A vector becomes a numpy array without a copy.
template <class T>
auto hand_over(std::vector<T>&& values) {
    auto* owned = new std::vector<T>(std::move(values));
    nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(owned->data(), {owned->size()}, owner);
}

// The array that Python gave, as it is.
template <class Array>
auto lend(const Array& array) {
    using T = typename Array::Scalar;
    return nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(array);
}

inline std::tuple<Array64, Array32, Array32> hand_over(shoal::OwnedRows&& r) {
    return {hand_over(std::move(r.indptr)), hand_over(std::move(r.ids)), hand_over(std::move(r.counts))};
}
