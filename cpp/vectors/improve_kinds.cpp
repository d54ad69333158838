#include "vectors/improve_kinds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/noise.hpp"
#include "base/parallel.hpp"
#include "vectors/group_blocks.hpp"

namespace shoal {

namespace {

constexpr int64_t kinds_block = 512;    // groups
constexpr std::size_t neighbours = 6;   // with which a group exchanges rows
constexpr int64_t quiet_rounds = 2;     // without any change, after which the search ends

class KindSearch {
public:
    KindSearch(std::span<const KindColumn> columns, std::span<const int64_t> owner, std::vector<Members> groups, const ImproveOptions& options)
        : columns_(columns), options_(options), members_(std::move(groups)), exchange_(columns, owner, options.k, all_differ(owner)) {
        for (const Members& members : members_) groups_.push_back(exchange_.group_of(members));
    }

    void run(int threads, Task& task) {
        task.begin(options_.rounds);
        int64_t quiet = 0;
        for (int64_t number = 0; number < options_.rounds && quiet < quiet_rounds; ++number) {
            quiet = round(number, threads, task) ? 0 : quiet + 1;
            task.step();
        }
    }

    const std::vector<Members>& groups() const { return members_; }

private:
    static bool all_differ(std::span<const int64_t> owner) {
        std::vector<int64_t> sorted(owner.begin(), owner.end());
        std::ranges::sort(sorted);
        return std::ranges::adjacent_find(sorted) == sorted.end();
    }

    bool round(int64_t number, int threads, Task& task) {
        const auto blocks = group_blocks(centres(), static_cast<int64_t>(groups_.size()), static_cast<int64_t>(columns_.size()), kinds_block,
                                         noise(options_.seed, static_cast<uint64_t>(number), 0));
        std::vector<uint8_t> changed(blocks.size(), 0);
        Task uncounted;  // progress is counted in rounds
        parallel_blocks(static_cast<int64_t>(blocks.size()), 1, threads, uncounted, [&](int64_t begin, int64_t end, int) {
            for (int64_t b = begin; b < end; ++b)
                for (int64_t g : blocks[b]) {
                    task.check();
                    changed[b] |= exchange_around(g, blocks[b]);
                }
        });
        return std::ranges::any_of(changed, [](uint8_t one) { return one != 0; });
    }

    // In units of the attributes, one group after the other.
    std::vector<double> centres() const {
        std::vector<double> found;
        for (const KindGroup& group : groups_)
            for (std::size_t j = 0; j < columns_.size(); ++j) found.push_back(group.centroid(j) / std::sqrt(columns_[j].unit));
        return found;
    }

    bool exchange_around(int64_t group, std::span<const int64_t> block) {
        std::vector<std::pair<double, int64_t>> near;
        for (int64_t g : block) {
            if (g == group) continue;
            double apart = 0;
            for (std::size_t j = 0; j < columns_.size(); ++j)
                apart += columns_[j].squared(groups_[g].centroid(j), groups_[group].centroid(j)) / columns_[j].unit;
            near.emplace_back(apart, g);
        }
        const std::size_t wanted = std::min(neighbours, near.size());
        std::ranges::partial_sort(near, near.begin() + static_cast<std::ptrdiff_t>(wanted));
        bool changed = false;
        for (std::size_t i = 0; i < wanted; ++i) {
            const int64_t other = near[i].second;
            changed |= exchange_.improve(members_[group], groups_[group], members_[other], groups_[other]);
        }
        return changed;
    }

    std::span<const KindColumn> columns_;
    ImproveOptions options_;
    std::vector<Members> members_;
    std::vector<KindGroup> groups_;
    Exchange exchange_;
};

}  // namespace

std::vector<int64_t> improve_kinds(std::span<const KindColumn> columns, std::span<const int64_t> owner, std::span<const int64_t> group,
                                   const ImproveOptions& options, int threads, Task& task) {
    std::vector<Members> groups(group.empty() ? 0 : *std::max_element(group.begin(), group.end()) + 1);
    for (std::size_t row = 0; row < group.size(); ++row) groups[group[row]].push_back(static_cast<int64_t>(row));
    KindSearch search(columns, owner, std::move(groups), options);
    search.run(threads, task);
    std::vector<int64_t> found(group.size());
    for (std::size_t g = 0; g < search.groups().size(); ++g)
        for (int64_t row : search.groups()[g]) found[row] = static_cast<int64_t>(g);
    return found;
}

}  // namespace shoal
