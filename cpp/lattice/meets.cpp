#include "lattice/meets.hpp"

namespace shoal {

namespace {

void start_meet(std::vector<Entry>& meet, const Rows& counts, int64_t record) {
    meet.clear();
    for (int64_t j = counts.indptr[record]; j < counts.indptr[record + 1]; ++j) meet.push_back({counts.ids[j], counts.counts[j]});
}

void lower_meet(std::vector<Entry>& meet, const Rows& counts, int64_t record) {
    int64_t j = counts.indptr[record];
    const int64_t end = counts.indptr[record + 1];
    std::size_t kept = 0;
    for (const Entry e : meet) {
        while (j < end && counts.ids[j] < e.node) ++j;
        if (j == end) break;
        if (counts.ids[j] == e.node) meet[kept++] = {e.node, std::min(e.count, counts.counts[j])};
    }
    meet.resize(kept);
}

}  // namespace

OwnedRows meets_of(const Rows& counts, const GroupsView& groups, Task& task) {
    OwnedRows out;
    out.indptr.push_back(0);
    std::vector<Entry> meet;
    for (int64_t g = 0; g < groups.size(); ++g) {
        const auto members = groups[g];
        start_meet(meet, counts, members[0]);
        for (int64_t record : members.subspan(1)) lower_meet(meet, counts, record);
        for (const Entry& e : meet) out.ids.push_back(e.node), out.counts.push_back(e.count);
        out.indptr.push_back(static_cast<int64_t>(out.ids.size()));
        task.step();
    }
    return out;
}

}  // namespace shoal
