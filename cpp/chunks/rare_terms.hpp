// Whether some of these records hold a set of terms that few people hold.
#pragma once

#include <algorithm>
#include <functional>
#include <map>

#include "chunks/clusters.hpp"

namespace shoal {

// Whether any set of up to `most` terms, all of them `wanted` and rising from `above` on, is held by some of these records, and by fewer
// than k people. Records are in the order of their owners.
inline bool any_rare_set(const OwnedSets& sets, std::span<const int64_t> records, int64_t k, int64_t most,
                         const std::function<bool(int32_t)>& wanted, int32_t above = -1) {
    std::map<int32_t, std::vector<int64_t>> holders;
    for (int64_t r : records)
        for (int32_t term : sets.rows.row_ids(r))
            if (term > above && wanted(term)) holders[term].push_back(r);
    for (const auto& [term, held] : holders) {
        int64_t people = 0;
        for (std::size_t i = 0; i < held.size(); ++i) people += i == 0 || sets.owners[held[i]] != sets.owners[held[i - 1]];
        if (people < k || (most > 1 && any_rare_set(sets, held, k, most - 1, wanted, term))) return true;
    }
    return false;
}

}  // namespace shoal
