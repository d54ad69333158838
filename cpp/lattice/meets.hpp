// What the steps of the shoal method share: the data as they see it, and the running meet of a group under construction.
#pragma once

#include <algorithm>

#include "base/task.hpp"
#include "lattice/groups.hpp"

namespace shoal {

// The weighted sum of a row's counts.
inline int64_t weighted_sum(const Rows& counts, int64_t row, std::span<const int64_t> weight) {
    int64_t total = 0;
    for (int64_t j = counts.indptr[row]; j < counts.indptr[row + 1]; ++j) total += weight[counts.ids[j]] * counts.counts[j];
    return total;
}

// Tree counts over weighted nodes and what scores need beside them. Rows come in content order: a row's number is its rank.
struct Scored {
    Rows counts;
    std::span<const int64_t> lengths;
    std::span<const int64_t> owner;
    std::span<const int64_t> weight;
    int64_t scale;  // the integer that stands for a loss of one
    int64_t k;
    bool owners_repeat;  // a person may own several records: groups then count people, not records

    int64_t size() const { return counts.size(); }
    int64_t nodes() const { return static_cast<int64_t>(weight.size()); }

    // One more person may join a group of so many.
    bool has_room(int64_t group_people) const { return group_people + 1 < 2 * k; }

    // What the record tells at its best: the weighted sum of its own counts.
    int64_t value(int64_t record) const { return weighted_sum(counts, record, weight); }

    int64_t people(const Group& group) const {
        if (!owners_repeat) return static_cast<int64_t>(group.size());
        std::vector<int64_t> owners;
        for (int64_t r : group) owners.push_back(owner[r]);
        std::ranges::sort(owners);
        return std::ranges::unique(owners).begin() - owners.begin();
    }

    bool holds_owner(const Group& group, int64_t record) const {
        return owners_repeat && std::ranges::any_of(group, [&](int64_t r) { return owner[r] == owner[record]; });
    }

    // The record may join the group: it adds nobody, or there is room for one more person.
    bool may_join(const Group& group, int64_t group_people, int64_t record) const {
        return has_room(group_people) || holds_owner(group, record);
    }
};

// The pointwise minimum of the members' tree counts, of each group.
OwnedRows meets_of(const Rows& counts, const GroupsView& groups, Task& task);

// A dense array over nodes, of which few are set at a time.
class Dense {
public:
    explicit Dense(int64_t nodes) : count_(nodes, 0) {}

    void spread(const Rows& counts, int64_t record) {
        for (int64_t j = counts.indptr[record]; j < counts.indptr[record + 1]; ++j) count_[counts.ids[j]] = counts.counts[j];
    }
    void clear(const Rows& counts, int64_t record) {
        for (int64_t j = counts.indptr[record]; j < counts.indptr[record + 1]; ++j) count_[counts.ids[j]] = 0;
    }
    int32_t& operator[](int32_t node) { return count_[node]; }
    int32_t operator[](int32_t node) const { return count_[node]; }

    // Weighted min-sum of what is spread here and a meet.
    int64_t against(const std::vector<Entry>& meet, std::span<const int64_t> weight) const {
        int64_t total = 0;
        for (const Entry& e : meet) total += weight[e.node] * std::min(e.count, count_[e.node]);
        return total;
    }

    // ... and a record.
    int64_t against(const Rows& counts, int64_t record, std::span<const int64_t> weight) const {
        int64_t total = 0;
        for (int64_t j = counts.indptr[record]; j < counts.indptr[record + 1]; ++j)
            total += weight[counts.ids[j]] * std::min(counts.counts[j], count_[counts.ids[j]]);
        return total;
    }

private:
    std::vector<int32_t> count_;
};

// The meet of a group that takes one record after another.
class RunningMeet {
public:
    explicit RunningMeet(const Scored& data) : data_(data), least_(data.nodes()), other_(data.nodes()) {}

    void open(int64_t record) {
        close();
        least_.spread(data_.counts, record);
        auto ids = data_.counts.row_ids(record);
        nodes_.assign(ids.begin(), ids.end());
        value_ = data_.value(record);
    }
    // The value of the meet if the record were taken too.
    int64_t with(int64_t record) const { return least_.against(data_.counts, record, data_.weight); }
    void take(int64_t record) {
        other_.spread(data_.counts, record);
        value_ = 0;
        std::size_t kept = 0;
        for (int32_t v : nodes_) {
            least_[v] = std::min(least_[v], other_[v]);
            value_ += data_.weight[v] * least_[v];
            if (least_[v] > 0) nodes_[kept++] = v;
        }
        nodes_.resize(kept);
        other_.clear(data_.counts, record);
    }
    void close() {
        for (int32_t v : nodes_) least_[v] = 0;
        nodes_.clear();
        value_ = 0;
    }
    int64_t value() const { return value_; }
    template <class Visit>
    void each(Visit&& visit) const {
        for (int32_t v : nodes_) visit(v, least_[v]);
    }

private:
    const Scored& data_;
    Dense least_, other_;
    std::vector<int32_t> nodes_;
    int64_t value_ = 0;
};

}  // namespace shoal
