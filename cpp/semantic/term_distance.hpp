// How far two terms lie apart on the tree, in whole units: path length or Wu-Palmer, with the threshold and the price of no
// partner.
//
// Distances depend only on the levels of the two terms and of their lowest common ancestor (the root has level 1). A term of
// which nothing is known hangs kFar levels below its parent: it is related to itself and to nothing else.
#pragma once

#include <algorithm>
#include <limits>

#include "base/csr.hpp"

namespace shoal {

inline constexpr int64_t kFar = int64_t{1} << 20;
inline constexpr int64_t kUnrelated = std::numeric_limits<int64_t>::max() / 4;

struct TermDistance {
    std::span<const int32_t> parent;
    std::span<const int32_t> end;
    std::span<const int64_t> level;
    bool wu_palmer;
    int64_t units;  // what a distance of one is
    int64_t eps;    // terms further apart than this are irrelevant to one another
    int64_t omega;  // the price of a term without a partner

    bool covers(int32_t ancestor, int32_t node) const { return ancestor <= node && node < end[ancestor]; }

    int32_t ancestor(int32_t u, int32_t v) const {
        while (!covers(u, v)) u = parent[u];
        return u;
    }

    int64_t of_levels(int64_t u, int64_t v, int64_t common) const {
        if (std::max(u, v) - common >= kFar) return kUnrelated;
        const int64_t apart = u + v - 2 * common, sum = u + v;
        return wu_palmer ? (apart * units + sum / 2) / sum : apart * units;
    }

    int64_t between(int32_t u, int32_t v) const { return of_levels(level[u], level[v], level[ancestor(u, v)]); }

    bool far(int32_t u) const { return u > 0 && level[u] - level[parent[u]] >= kFar; }
};

}  // namespace shoal
