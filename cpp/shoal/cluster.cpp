#include "shoal/cluster.hpp"

#include <atomic>
#include <limits>
#include <memory>
#include <numeric>

#include "base/infeasible.hpp"
#include "base/noise.hpp"
#include "base/parallel.hpp"
#include "base/rows.hpp"
#include "lattice/block_copy.hpp"
#include "lattice/split.hpp"

namespace shoal {

namespace {

class Clustering {
public:
    Clustering(const Scored& data, const ClusterOptions& options, int threads, Task& task)
        : data_(data), options_(options), threads_(threads), task_(task), deadline_(options.seconds) {}

    std::vector<int64_t> run() {
        std::vector<int64_t> rest = set_identical_aside();
        task_.begin(2 * data_.size() + options_.rounds * (data_.size() + data_.size() / data_.k));
        if (!rest.empty()) grow_all(std::move(rest));
        if (groups_.empty()) throw Infeasible("no group of k owners can be formed");
        for (int64_t record : left_) join_best(record);
        refine_all();
        std::vector<int64_t> label(data_.size());
        for (std::size_t g = 0; g < groups_.size(); ++g)
            for (int64_t record : groups_[g]) label[record] = static_cast<int64_t>(g);
        return label;
    }

private:
    // Records with the same counts lose nothing to one another: as many full groups of them as there can be, found without comparing
    // pairs. Returns the records that are left for growing.
    std::vector<int64_t> set_identical_aside() {
        const std::vector<int64_t> label = identical_rows(data_.counts, threads_, task_);
        std::vector<int64_t> size(label.empty() ? 0 : *std::ranges::max_element(label) + 1, 0);
        for (int64_t l : label) ++size[l];
        std::vector<std::vector<int64_t>> same(size.size());
        std::vector<int64_t> rest;
        for (int64_t r = 0; r < data_.size(); ++r)
            if (size[label[r]] >= data_.k)
                same[label[r]].push_back(r);
            else
                rest.push_back(r);
        for (auto& records : same)
            if (!records.empty()) form_identical(records, rest);
        std::ranges::sort(rest);
        return rest;
    }

    // One record of each person fills the groups; a person's further copies join them.
    void form_identical(std::vector<int64_t>& records, std::vector<int64_t>& rest) {
        std::vector<int64_t> further;
        if (data_.owners_repeat) further = take_further_copies(records);
        const int64_t full = static_cast<int64_t>(records.size()) / data_.k, first = static_cast<int64_t>(groups_.size());
        for (int64_t g = 0; g < full; ++g) groups_.emplace_back(records.begin() + g * data_.k, records.begin() + (g + 1) * data_.k);
        rest.insert(rest.end(), records.begin() + full * data_.k, records.end());
        if (full == 0) rest.insert(rest.end(), further.begin(), further.end());
        for (std::size_t i = 0; full > 0 && i < further.size(); ++i) groups_[first + static_cast<int64_t>(i) % full].push_back(further[i]);
    }

    std::vector<int64_t> take_further_copies(std::vector<int64_t>& records) const {
        std::ranges::stable_sort(records, {}, [&](int64_t r) { return data_.owner[r]; });
        std::vector<int64_t> firsts, further;
        for (std::size_t i = 0; i < records.size(); ++i)
            (i > 0 && data_.owner[records[i]] == data_.owner[records[i - 1]] ? further : firsts).push_back(records[i]);
        std::ranges::sort(firsts);
        std::ranges::sort(further);
        records = std::move(firsts);
        return further;
    }

    void grow_all(std::vector<int64_t> records) {
        const Coordinates at = coordinates(data_.counts, data_.lengths, data_.weight, data_.scale, threads_, task_);
        // What a block leaves over is put together and grown again, until it is too little.
        while (static_cast<int64_t>(records.size()) >= data_.k) {
            const auto before = records.size();
            records = grow_blocks(split_blocks(at, std::move(records), options_.block, 0, threads_, task_));
            if (records.size() == before) break;
        }
        left_ = std::move(records);
    }

    std::vector<int64_t> grow_blocks(const std::vector<std::vector<int64_t>>& blocks) {
        const auto n = static_cast<int64_t>(blocks.size());
        std::vector<std::vector<Group>> grown(n);
        std::vector<std::vector<int64_t>> left(n);
        parallel_blocks(n, 1, threads_, task_, [&](int64_t b, int64_t, int) {
            const BlockCopy block_copy(data_, blocks[b], data_.k);
            grown[b] = grow_block(block_copy.data(), options_.grow, left[b], task_);
            for (Group& group : grown[b]) renumber(group, blocks[b]);
            renumber(left[b], blocks[b]);
            task_.step(static_cast<int64_t>(blocks[b].size()));
        });
        std::vector<int64_t> rest;
        for (int64_t b = 0; b < n; ++b) {
            std::ranges::move(grown[b], std::back_inserter(groups_));
            rest.insert(rest.end(), left[b].begin(), left[b].end());
        }
        std::ranges::sort(rest);
        return rest;
    }

    // Rows of an block_copy as what they are in the whole.
    static void renumber(std::vector<int64_t>& rows, const std::vector<int64_t>& records) {
        for (int64_t& r : rows) r = records[r];
    }

    // Fewer than k records, or those of people who own too many: each goes where the least is lost by it.
    void join_best(int64_t record) {
        task_.check();
        if (meets_.empty()) meets_ = all_meets();
        if (!dense_) dense_ = std::make_unique<Dense>(data_.nodes());
        dense_->spread(data_.counts, record);
        int64_t best = -1, least = std::numeric_limits<int64_t>::max();
        const auto n = static_cast<int64_t>(groups_.size());
        const int64_t stride = std::max<int64_t>(1, n * static_cast<int64_t>(left_.size()) / kMostTrials);
        for (int64_t g = record % stride; g < n; g += stride) {
            const auto size = static_cast<int64_t>(groups_[g].size());
            int64_t value = 0;
            for (const Entry& e : meets_[g]) value += data_.weight[e.node] * e.count;
            const int64_t loss = size * value - (size + 1) * dense_->against(meets_[g], data_.weight);
            if (loss < least) least = loss, best = g;
        }
        dense_->clear(data_.counts, record);
        groups_[best].push_back(record);
        meets_[best] = meet_of(data_, groups_[best]);
    }

    void refine_all() {
        int64_t idle = 0;
        for (int64_t round = 0; round < options_.rounds && idle < kIdleRounds && !deadline_.passed(); ++round) {
            const auto blocks = blocks_of_groups(static_cast<uint64_t>(round));
            std::atomic<int64_t> improved{0};
            parallel_blocks(static_cast<int64_t>(blocks.size()), 1, threads_, task_, [&](int64_t b, int64_t, int) {
                if (deadline_.passed()) return;
                improved += refine(blocks[b], noise(options_.seed, static_cast<uint64_t>(round), static_cast<uint64_t>(b)));
                task_.step(static_cast<int64_t>(blocks[b].size()) * data_.k);
            });
            std::erase_if(groups_, [](const Group& g) { return g.empty(); });
            idle = improved == 0 ? idle + 1 : 0;
        }
    }

    int64_t refine(const std::vector<int64_t>& chosen, uint64_t shake) {
        std::vector<int64_t> records;
        std::vector<Group> groups;
        for (int64_t g : chosen) {
            const auto first = static_cast<int64_t>(records.size());
            records.insert(records.end(), groups_[g].begin(), groups_[g].end());
            groups.emplace_back(groups_[g].size());
            std::iota(groups.back().begin(), groups.back().end(), first);
        }
        const BlockCopy block_copy(data_, records, data_.k);
        const int64_t improved = refine_block(block_copy.data(), groups, options_.refine, shake, deadline_, task_);
        groups.resize(chosen.size());
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            renumber(groups[i], records);
            groups_[chosen[i]] = std::move(groups[i]);
        }
        return improved;
    }

    // Groups with similar meets come into one block. Those swollen by one person's many records are left as they are.
    std::vector<std::vector<int64_t>> blocks_of_groups(uint64_t round) {
        std::vector<int64_t> eligible;
        for (std::size_t g = 0; g < groups_.size(); ++g)
            if (static_cast<int64_t>(groups_[g].size()) < 2 * data_.k) eligible.push_back(static_cast<int64_t>(g));
        if (static_cast<int64_t>(eligible.size()) <= options_.refine_block) return {eligible};
        OwnedRows meets;
        std::vector<int64_t> lengths;
        meets.indptr.push_back(0);
        for (const auto& meet : all_meets()) {
            for (const Entry& e : meet) meets.ids.push_back(e.node), meets.counts.push_back(e.count);
            meets.indptr.push_back(static_cast<int64_t>(meets.ids.size()));
        }
        for (const Group& group : groups_) lengths.push_back(mean_length(group));
        const Coordinates at = coordinates(meets.view(), lengths, data_.weight, data_.scale, threads_, task_);
        return split_blocks(at, std::move(eligible), options_.refine_block, round, threads_, task_);
    }

    std::vector<std::vector<Entry>> all_meets() {
        std::vector<std::vector<Entry>> meets(groups_.size());
        parallel_blocks(static_cast<int64_t>(groups_.size()), 256, threads_, task_, [&](int64_t begin, int64_t end, int) {
            for (int64_t g = begin; g < end; ++g) meets[g] = meet_of(data_, groups_[g]);
        });
        return meets;
    }

    int64_t mean_length(const Group& group) const {
        int64_t total = 0;
        for (int64_t r : group) total += data_.lengths[r];
        return total / static_cast<int64_t>(group.size());
    }

    static constexpr int64_t kIdleRounds = 3;  // without an improvement, after which none is hoped for
    static constexpr int64_t kMostTrials = int64_t{1} << 27;

    const Scored& data_;
    const ClusterOptions& options_;
    int threads_;
    Task& task_;
    Deadline deadline_;
    std::vector<Group> groups_;
    std::vector<int64_t> left_;
    std::vector<std::vector<Entry>> meets_;
    std::unique_ptr<Dense> dense_;
};

}  // namespace

std::vector<int64_t> cluster(const Scored& data, const ClusterOptions& options, int threads, Task& task) {
    return Clustering(data, options, threads, task).run();
}

}  // namespace shoal
