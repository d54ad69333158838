#include "lattice/meets.hpp"

namespace shoal {

std::vector<Entry> meet_of(const Scored& data, const Group& group) {
    const Rows& counts = data.counts;
    std::vector<Entry> meet;
    for (int64_t j = counts.indptr[group[0]]; j < counts.indptr[group[0] + 1]; ++j) meet.push_back({counts.ids[j], counts.counts[j]});
    for (std::size_t i = 1; i < group.size(); ++i) {
        int64_t j = counts.indptr[group[i]];
        const int64_t end = counts.indptr[group[i] + 1];
        std::size_t kept = 0;
        for (const Entry e : meet) {
            while (j < end && counts.ids[j] < e.node) ++j;
            if (j == end) break;
            if (counts.ids[j] == e.node) meet[kept++] = {e.node, std::min(e.count, counts.counts[j])};
        }
        meet.resize(kept);
    }
    return meet;
}

}  // namespace shoal
