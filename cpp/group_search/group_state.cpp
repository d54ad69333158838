#include "group_search/group_state.hpp"

namespace shoal {

StateUpdater::StateUpdater(const Scored& data) : data_(data), seen_(data.nodes()) {
    if (!data.owners_repeat) return;
    std::vector<int64_t> owners(data.owner.begin(), data.owner.end());
    std::ranges::sort(owners);
    owners.erase(std::ranges::unique(owners).begin(), owners.end());
    for (int64_t owner : data.owner) person_.push_back(static_cast<int32_t>(std::ranges::lower_bound(owners, owner) - owners.begin()));
    records_of_.assign(owners.size(), 0);
}

void StateUpdater::update(GroupState& group) {
    scan_members(group);
    count_people(group);
    const int64_t n = group.size();
    group.meet.clear(), found_.clear();
    group.value = 0;
    group.without.assign(n, 0);
    group.first_gap.assign(n + 1, 0);
    for (int32_t v : nodes_) {
        add_node(group, v, seen_[v]);
        seen_[v] = {};
    }
    nodes_.clear();
    for (const auto& [member, gap] : found_) ++group.first_gap[member + 1];
    for (int64_t i = 0; i < n; ++i) {
        group.first_gap[i + 1] += group.first_gap[i];
        group.without[i] += group.value;
    }
    group.gaps.resize(found_.size());
    std::vector<std::size_t> at(group.first_gap.begin(), group.first_gap.end() - 1);
    for (const auto& [member, gap] : found_) group.gaps[at[member]++] = gap;
}

void StateUpdater::count_people(GroupState& group) {
    group.people = group.size();
    if (!data_.owners_repeat) return;
    group.people = 0;
    for (int64_t r : group.members) group.people += records_of_[person_[r]]++ == 0 ? 1 : 0;
    group.alone.resize(group.size());
    for (int64_t i = 0; i < group.size(); ++i) group.alone[i] = records_of_[person_[group.members[i]]] == 1 ? 1 : 0;
    for (int64_t r : group.members) records_of_[person_[r]] = 0;
}

void StateUpdater::scan_members(const GroupState& group) {
    for (int64_t i = 0; i < group.size(); ++i) {
        const int64_t record = group.members[i];
        const auto place = static_cast<int32_t>(i);
        for (int64_t j = data_.counts.indptr[record]; j < data_.counts.indptr[record + 1]; ++j) {
            const int32_t v = data_.counts.ids[j], count = data_.counts.counts[j];
            Seen& s = seen_[v];
            if (s.holders == 0) nodes_.push_back(v);
            if (s.holders == 0 || count < s.least) {
                s.next = s.holders == 0 ? count : s.least;
                s.least = count, s.lowest = place;
            } else if (s.holders == 1 || count < s.next) {
                s.next = count;
            }
            ++s.holders, s.holder_sum += static_cast<uint32_t>(place);
        }
    }
}

void StateUpdater::add_node(GroupState& group, int32_t node, const Seen& s) {
    const auto n = static_cast<int32_t>(group.size());
    const int64_t weight = data_.weight[node];
    if (s.holders == n) {
        group.meet.push_back({weight, node, s.least});
        group.value += weight * s.least;
        if (n > 1 && s.next > s.least) {
            found_.push_back({s.lowest, {weight, node, s.least, s.next}});
            group.without[s.lowest] += weight * (s.next - s.least);
        }
    } else if (s.holders == n - 1) {  // the one that lacks it is the one whose place is not in the sum
        const auto all_places = static_cast<uint32_t>(int64_t{n} * (n - 1) / 2);
        const auto lacking = static_cast<int32_t>(all_places - s.holder_sum);
        found_.push_back({lacking, {weight, node, 0, s.least}});
        group.without[lacking] += weight * s.least;
    }
}

}  // namespace shoal
