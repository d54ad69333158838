// Helpers of the bindings: views of numpy arrays, checks that keep bad indices out of the kernels, and handing memory to numpy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/csr.hpp"

using I64 = nanobind::ndarray<const int64_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using I32 = nanobind::ndarray<const int32_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

inline std::span<const int64_t> span(const I64& a) { return {a.data(), a.shape(0)}; }
inline std::span<const int32_t> span(const I32& a) { return {a.data(), a.shape(0)}; }

inline void need(bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(std::string("kernel input: expected ") + what);
}

inline shoal::Rows rows(const I64& indptr, const I32& ids, const I32& counts) {
    need(indptr.shape(0) >= 1 && ids.shape(0) == counts.shape(0), "rows: indptr not empty, as many ids as counts");
    const shoal::Rows r{span(indptr), span(ids), span(counts)};
    need(r.indptr.front() == 0 && r.indptr.back() == static_cast<int64_t>(r.ids.size()), "indptr to span all ids");
    for (std::size_t i = 1; i < r.indptr.size(); ++i) need(r.indptr[i - 1] <= r.indptr[i], "indptr to rise");
    return r;
}

inline void ids_within(const shoal::Rows& r, int64_t nodes) {
    for (int32_t id : r.ids) need(id >= 0 && id < nodes, "ids below the number of nodes");
}

inline void indices_within(std::span<const int64_t> indices, int64_t n) {
    for (int64_t i : indices) need(i >= 0 && i < n, "indices below the number of rows");
}

inline void same_size(std::size_t a, std::size_t b) { need(a == b, "arrays of one size, where they describe the same things"); }

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

inline nanobind::tuple hand_over(shoal::OwnedRows&& r) {
    return nanobind::make_tuple(hand_over(std::move(r.indptr)), hand_over(std::move(r.ids)), hand_over(std::move(r.counts)));
}
