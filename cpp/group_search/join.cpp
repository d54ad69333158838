#include "group_search/join.hpp"

#include <limits>

namespace shoal {

namespace {

constexpr int64_t kMostTrials = int64_t{1} << 27;  // of a record with a group; beyond, each record looks at some of the groups only

// A group as those who look for one see it.
struct OpenGroup {
    std::vector<Entry> meet;
    int64_t value, size;
};

std::vector<OpenGroup> open_groups(const Scored& data, const Rows& meets, std::span<const int64_t> sizes) {
    std::vector<OpenGroup> groups(sizes.size());
    for (int64_t g = 0; g < meets.size(); ++g) {
        groups[g].size = sizes[g];
        groups[g].value = weighted_sum(meets, g, data.weight);
        for (int64_t j = meets.indptr[g]; j < meets.indptr[g + 1]; ++j) groups[g].meet.push_back({meets.ids[j], meets.counts[j]});
    }
    return groups;
}

void join(OpenGroup& group, const Dense& record, std::span<const int64_t> weight) {
    ++group.size;
    group.value = 0;
    for (Entry& e : group.meet) {
        e.count = std::min(e.count, record[e.node]);
        group.value += weight[e.node] * e.count;
    }
    std::erase_if(group.meet, [](const Entry& e) { return e.count == 0; });
}

}  // namespace

std::vector<int64_t> join_leftovers(const Scored& data, const Rows& meets, std::span<const int64_t> sizes, std::span<const int64_t> left,
                                    Task& task) {
    std::vector<OpenGroup> groups = open_groups(data, meets, sizes);
    const auto n = static_cast<int64_t>(groups.size());
    const int64_t stride = std::max<int64_t>(1, n * static_cast<int64_t>(left.size()) / kMostTrials);
    std::vector<int64_t> joined;
    Dense dense(data.nodes());
    for (int64_t record : left) {
        task.check();
        dense.spread(data.counts, record);
        int64_t best = -1, least = std::numeric_limits<int64_t>::max();
        for (int64_t g = record % stride; g < n; g += stride) {
            const OpenGroup& group = groups[g];
            const int64_t loss = group.size * group.value - (group.size + 1) * dense.against(group.meet, data.weight);
            if (loss < least) least = loss, best = g;
        }
        join(groups[best], dense, data.weight);
        dense.clear(data.counts, record);
        joined.push_back(best);
    }
    return joined;
}

}  // namespace shoal
