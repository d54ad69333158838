#include "group_search/refine.hpp"

#include <limits>
#include <numeric>

#include "base/noise.hpp"
#include "lattice/block_copy.hpp"
#include "group_search/disband.hpp"
#include "group_search/divide.hpp"
#include "group_search/regrow.hpp"

namespace shoal {

namespace {

class Refiner {
public:
    // The rows of the data are the members of the first group, then of the second, ...
    Refiner(const Scored& data, std::span<const int64_t> starts, const RefineOptions& options, const Deadline& deadline, Task& task)
        : data_(data), options_(options), deadline_(deadline), task_(task), groups_(starts.size() - 1) {
        StateUpdater updater(data);
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            groups_[g].members.resize(starts[g + 1] - starts[g]);
            std::iota(groups_[g].members.begin(), groups_[g].members.end(), starts[g]);
            updater.update(groups_[g]);
        }
        for (int64_t r = 0; r < data.size(); ++r) values_.push_back(data.value(r));
    }

    int64_t run(uint64_t shake) {
        const int64_t divided = data_.owners_repeat ? divide() : 0;
        const Neighbours neighbours = GroupMap(data_, groups_).all_nearest(static_cast<std::size_t>(options_.neighbours), task_);
        // Disbanding comes after chains: before them groups look as if they had nothing of their own, and are given up too soon.
        const int64_t exchanged = change_places(neighbours);
        disband();
        const int64_t regrown = regrow(neighbours, shake);
        return divided + exchanged + regrown + without_empty();
    }

    const std::vector<GroupState>& groups() const { return groups_; }

private:
    // Leaves empty groups behind, so that the others keep their numbers.
    void disband() {
        if (options_.worst == 0) return;
        GroupMap map(data_, groups_);
        Disbander disbander(data_, values_, groups_, map, options_.neighbours);
        Worth worth(options_.worth);
        for (int64_t g : worst_groups()) {
            if (deadline_.passed() || worth.over()) break;
            task_.check();
            const int64_t lost = length(groups_[g]) - groups_[g].kept();
            worth.add({lost, disbander.improve(g)});
        }
    }

    int64_t divide() {
        Divider divider(data_, groups_, options_.neighbours, task_);
        int64_t divided = 0;
        for (int64_t g : worst_groups()) {
            if (deadline_.passed()) break;
            divided += divider.improve(g);
        }
        return divided;
    }

    int64_t without_empty() {
        return static_cast<int64_t>(std::erase_if(groups_, [](const GroupState& c) { return c.members.empty(); }));
    }

    int64_t change_places(const Neighbours& neighbours) {
        Chains chains(data_, values_, groups_, neighbours, options_.depth, task_);
        int64_t improved = 0;
        for (std::size_t g = 0; g < groups_.size() && !deadline_.passed(); ++g) {
            task_.check();
            improved += chains.improve_all(static_cast<int64_t>(g));
        }
        return improved;
    }

    int64_t regrow(const Neighbours& neighbours, uint64_t shake) {
        if (options_.worst == 0) return 0;
        Regrower regrower(data_, values_, groups_, neighbours, options_.together, options_.depth, deadline_, task_);
        int64_t improved = 0;
        Worth worth(options_.worth);
        for (int64_t g : worst_groups()) {
            if (deadline_.passed() || worth.over()) break;
            task_.check();
            const Try tried = regrower.improve(g, noise(shake, static_cast<uint64_t>(g), 0));
            improved += tried.gained > 0 ? 1 : 0;
            worth.add(tried);
        }
        return improved;
    }

    // Those that lose the largest part of their records, the worst first.
    std::vector<int64_t> worst_groups() const {
        std::vector<std::pair<int64_t, int64_t>> kept;  // how many parts in 4,096 of it a group keeps, and which group
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            if (groups_[g].members.empty()) continue;
            kept.emplace_back(parts_of(groups_[g].kept(), length(groups_[g])), static_cast<int64_t>(g));
        }
        std::ranges::sort(kept);
        kept.resize(kept.size() * static_cast<std::size_t>(options_.worst) / 100);
        std::vector<int64_t> worst;
        for (const auto& [part, g] : kept) worst.push_back(g);
        return worst;
    }

    // What the members have in all.
    int64_t length(const GroupState& group) const {
        int64_t total = 0;
        for (int64_t r : group.members) total += data_.lengths[r] * data_.scale;
        return total;
    }

    static int64_t parts_of(int64_t kept, int64_t length) {
        const bool small = kept <= std::numeric_limits<int64_t>::max() / 4096;
        return small ? kept * 4096 / std::max<int64_t>(1, length) : kept / (length / 4096);
    }

    const Scored& data_;
    const RefineOptions& options_;
    const Deadline& deadline_;
    Task& task_;
    std::vector<GroupState> groups_;
    std::vector<int64_t> values_;
};

}  // namespace

RefinedBlock refine_block(const Scored& data, const GroupsView& groups, const RefineOptions& options, uint64_t shake,
                          const Deadline& deadline, Task& task) {
    const BlockCopy block_copy(data, groups.members, data.k);
    const Scored block = block_copy.data();
    Refiner refiner(block, groups.starts, options, deadline, task);
    RefinedBlock out;
    out.changes = refiner.run(shake);
    for (const GroupState& group : refiner.groups()) out.groups.add(group.members, groups.members);
    task.step(groups.size() * data.k);
    return out;
}

}  // namespace shoal
