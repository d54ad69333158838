#include "partition.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <unordered_map>

namespace shoal {

namespace {

// One node of a cut. `whole`: it stands for everything below it; otherwise only for items equal to it. `open`: it may be specialised.
struct CutNode {
    int32_t node;
    bool whole;
    bool open;
};

struct Part {
    std::vector<int64_t> records;
    std::vector<CutNode> cut;
};

struct Sub {
    std::vector<int32_t> children;  // the distribution key: what of the specialised node these records touch
    std::vector<int64_t> records;
};

// How many people a set of records protects, kept up to date as records move.
class Headcount {
  public:
    Headcount(std::span<const int64_t> owner, bool owners_repeat) : owner_(owner), repeat_(owners_repeat) {}
    void add(int64_t record) {
        ++records_;
        if (repeat_) ++count_[owner_[record]];
    }
    void remove(int64_t record) {
        --records_;
        if (!repeat_) return;
        if (auto it = count_.find(owner_[record]); --it->second == 0) count_.erase(it);
    }
    int64_t people() const { return repeat_ ? static_cast<int64_t>(count_.size()) : records_; }

  private:
    std::span<const int64_t> owner_;
    bool repeat_;
    int64_t records_ = 0;
    std::unordered_map<int64_t, int64_t> count_;
};

class Partitioner {
  public:
    Partitioner(const Rows& bags, std::span<const int32_t> parent, std::span<const int32_t> end, std::span<const int64_t> leaves,
                std::span<const int64_t> owner, const PartitionOptions& options)
        : bags_(bags), parent_(parent), end_(end), leaves_(leaves), owner_(owner), options_(options) {}

    PartitionResult run(std::span<const int64_t> order, Task& task) {
        result_.group.assign(bags_.size(), -1);
        result_.cuts.indptr.push_back(0);
        task.begin(static_cast<int64_t>(order.size()));
        Part all{{order.begin(), order.end()}, {{0, true, true}}};
        if (people(all.records) < options_.k) throw std::domain_error("fewer than k owners");
        std::vector<Part> pending;
        pending.push_back(std::move(all));
        while (!pending.empty()) {
            Part part = std::move(pending.back());
            pending.pop_back();
            if (!specialise(part, pending, task)) {
                task.step(static_cast<int64_t>(part.records.size()));
                emit(part);
            }
        }
        return std::move(result_);
    }

  private:
    // The children of `node` (itself for an item equal to it) that a record touches, in preorder, each with the gain of telling them apart.
    template <class Visit>
    void touched_children(int64_t record, int32_t node, Visit&& visit) const {
        auto items = bags_.row_ids(record);
        auto amounts = bags_.row_counts(record);
        auto at = std::ranges::lower_bound(items, node) - items.begin();
        int32_t child = -1;
        int64_t occurrences = 0;
        for (; at < static_cast<int64_t>(items.size()) && items[at] < end_[node]; ++at) {
            if (child >= 0 && (child == node ? items[at] == node : items[at] < end_[child])) {
                occurrences += amounts[at];
                continue;
            }
            if (child >= 0) visit(child, occurrences);
            child = child_towards(node, items[at]);
            occurrences = amounts[at];
        }
        if (child >= 0) visit(child, occurrences);
    }

    int32_t child_towards(int32_t node, int32_t item) const {
        if (item == node) return node;
        while (parent_[item] != node) item = parent_[item];
        return item;
    }

    int64_t loss(int32_t node) const { return leaves_[node] == 1 ? 0 : leaves_[node]; }

    int64_t gain(int64_t record, int32_t node) const {
        int64_t total = 0;
        touched_children(record, node, [&](int32_t child, int64_t occurrences) {
            total += occurrences * (loss(node) - (child == node ? 0 : loss(child)));
        });
        return total;
    }

    // Nodes of the cut that may be specialised, by falling gain; the first in the cut wins ties.
    std::vector<std::size_t> candidates(const Part& part, const Task& task) const {
        std::vector<std::pair<int64_t, std::size_t>> ranked;
        for (std::size_t i = 0; i < part.cut.size(); ++i) {
            const CutNode& c = part.cut[i];
            task.check();
            if (!c.open || !c.whole || end_[c.node] == c.node + 1) continue;
            int64_t total = 0;
            for (int64_t record : part.records) total += gain(record, c.node);
            ranked.emplace_back(-total, i);
        }
        std::ranges::sort(ranked);
        std::vector<std::size_t> order;
        for (const auto& [_, i] : ranked) order.push_back(i);
        return order;
    }

    bool specialise(Part& part, std::vector<Part>& pending, Task& task) {
        for (std::size_t at : candidates(part, task)) {
            task.check();
            const int32_t node = part.cut[at].node;
            std::vector<Sub> subs = distribute(part.records, node);
            std::vector<int64_t> left;
            std::vector<Sub> good;
            for (Sub& sub : subs) {
                if (people(sub.records) >= options_.k)
                    good.push_back(std::move(sub));
                else
                    left.insert(left.end(), sub.records.begin(), sub.records.end());
            }
            if (good.empty() || !balance(good, left, node)) continue;
            for (Sub& sub : good) pending.push_back({std::move(sub.records), refined(part.cut, at, sub.children)});
            if (!left.empty()) {
                part.cut[at].open = false;
                Part rest{std::move(left), part.cut};
                if (!options_.recurse_leftover)
                    for (CutNode& c : rest.cut) c.open = false;
                pending.push_back(std::move(rest));
            }
            return true;
        }
        return false;
    }

    std::vector<Sub> distribute(const std::vector<int64_t>& records, int32_t node) const {
        std::vector<std::pair<std::vector<int32_t>, std::size_t>> keys(records.size());
        for (std::size_t i = 0; i < records.size(); ++i) {
            keys[i].second = i;
            touched_children(records[i], node, [&](int32_t child, int64_t) { keys[i].first.push_back(child); });
        }
        std::ranges::sort(keys);
        std::vector<Sub> subs;
        for (auto& [children, i] : keys) {
            if (subs.empty() || subs.back().children != children) subs.push_back({std::move(children), {}});
            subs.back().records.push_back(records[i]);
        }
        return subs;
    }

    // Fills up what is left over to k people, with the records that lose least by not being specialised. False if that cannot be done.
    bool balance(std::vector<Sub>& good, std::vector<int64_t>& left, int32_t node) const {
        if (left.empty()) return true;
        Headcount leftover = count(left);
        if (leftover.people() >= options_.k) return true;
        struct Donor {
            int64_t gain;
            std::size_t sub, position;
        };
        std::vector<Donor> donors;
        std::vector<Headcount> counts;
        for (std::size_t s = 0; s < good.size(); ++s) {
            counts.push_back(count(good[s].records));
            if (counts[s].people() <= options_.k) continue;
            for (std::size_t p = 0; p < good[s].records.size(); ++p) donors.push_back({gain(good[s].records[p], node), s, p});
        }
        std::ranges::stable_sort(donors, {}, &Donor::gain);
        for (const Donor& d : donors) {
            if (leftover.people() >= options_.k) break;
            const int64_t record = good[d.sub].records[d.position];
            counts[d.sub].remove(record);
            if (counts[d.sub].people() < options_.k) {
                counts[d.sub].add(record);
                continue;
            }
            leftover.add(record);
            left.push_back(record);
            good[d.sub].records[d.position] = -1;
        }
        if (leftover.people() < options_.k) return false;
        for (Sub& sub : good) std::erase(sub.records, -1);
        return true;
    }

    static std::vector<CutNode> refined(const std::vector<CutNode>& cut, std::size_t at, const std::vector<int32_t>& children) {
        std::vector<CutNode> out;
        for (std::size_t i = 0; i < cut.size(); ++i) {
            if (i != at) {
                out.push_back(cut[i]);
                continue;
            }
            for (int32_t child : children) {
                const bool itself = child == cut[at].node;
                out.push_back({child, !itself, !itself});
            }
        }
        return out;
    }

    void emit(const Part& part) {
        const int64_t group = static_cast<int64_t>(result_.cuts.indptr.size()) - 1;
        for (int64_t record : part.records) result_.group[record] = group;
        std::vector<Entry> row;
        for (const CutNode& c : part.cut) {
            int64_t least = std::numeric_limits<int32_t>::max();
            for (int64_t record : part.records) least = std::min(least, covered(record, c));
            row.push_back({c.node, static_cast<int32_t>(least)});
        }
        std::ranges::sort(row, {}, &Entry::node);
        for (const Entry& e : row) {
            result_.cuts.ids.push_back(e.node);
            result_.cuts.counts.push_back(e.count);
        }
        result_.cuts.indptr.push_back(static_cast<int64_t>(result_.cuts.ids.size()));
    }

    int64_t covered(int64_t record, const CutNode& c) const {
        auto items = bags_.row_ids(record);
        auto amounts = bags_.row_counts(record);
        const int32_t stop = c.whole ? end_[c.node] : c.node + 1;
        int64_t total = 0;
        for (auto at = std::ranges::lower_bound(items, c.node) - items.begin();
             at < static_cast<int64_t>(items.size()) && items[at] < stop; ++at)
            total += amounts[at];
        return total;
    }

    Headcount count(const std::vector<int64_t>& records) const {
        Headcount heads(owner_, options_.owners_repeat);
        for (int64_t record : records) heads.add(record);
        return heads;
    }

    int64_t people(const std::vector<int64_t>& records) const {
        if (!options_.owners_repeat) return static_cast<int64_t>(records.size());
        return count(records).people();
    }

    const Rows& bags_;
    std::span<const int32_t> parent_, end_;
    std::span<const int64_t> leaves_, owner_;
    const PartitionOptions& options_;
    PartitionResult result_;
};

}  // namespace

PartitionResult partition(const Rows& bags, std::span<const int32_t> parent, std::span<const int32_t> end,
                          std::span<const int64_t> leaves, std::span<const int64_t> order, std::span<const int64_t> owner,
                          const PartitionOptions& options, Task& task) {
    return Partitioner(bags, parent, end, leaves, owner, options).run(order, task);
}

}  // namespace shoal
