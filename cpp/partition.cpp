#include "partition.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <unordered_map>

namespace shoal {

namespace {

constexpr int64_t kSmallPart = 8;  // parts of fewer than this many times k people are worth trying several splits on

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
        task.begin(static_cast<int64_t>(order.size()));
        Part all{{order.begin(), order.end()}, {{0, true, true}}};
        if (people(all.records) < options_.k) throw std::domain_error("fewer than k owners");
        Solution solution = solve(std::move(all), true, task);
        PartitionResult result;
        result.group.assign(bags_.size(), -1);
        result.cuts.indptr.push_back(0);
        for (const Part& part : solution.parts) emit(part, result);
        return result;
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

    struct Candidate {
        int64_t gain;     // what specialising the node would win if no record had to be left out
        std::size_t at;   // its place in the cut
    };

    // Nodes of the cut that may be specialised, by falling gain; the first in the cut wins ties.
    std::vector<Candidate> candidates(const Part& part) const {
        std::vector<Candidate> ranked;
        for (std::size_t i = 0; i < part.cut.size(); ++i) {
            const CutNode& c = part.cut[i];
            if (!c.open || !c.whole || end_[c.node] == c.node + 1) continue;
            int64_t total = 0;
            for (int64_t record : part.records) total += gain(record, c.node);
            ranked.push_back({total, i});
        }
        std::ranges::stable_sort(ranked, std::ranges::greater{}, &Candidate::gain);
        return ranked;
    }

    struct Split {
        int64_t gain = -1;
        std::size_t at = 0;
        std::vector<Sub> good;
        std::vector<int64_t> left;
    };

    // What specialising this node really gives once small sub-parts are merged and filled up; no good sub-part if it cannot be done.
    Split split(const Part& part, std::size_t at) const {
        const int32_t node = part.cut[at].node;
        Split s{0, at, {}, {}};
        for (Sub& sub : distribute(part.records, node)) {
            if (people(sub.records) >= options_.k)
                s.good.push_back(std::move(sub));
            else
                s.left.insert(s.left.end(), sub.records.begin(), sub.records.end());
        }
        if (!s.good.empty() && !balance(s.good, s.left, node)) s.good.clear();
        for (const Sub& sub : s.good)
            for (int64_t record : sub.records) s.gain += gain(record, node);
        return s;
    }

    struct Solution {
        int64_t loss = 0;
        std::vector<Part> parts;
    };

    // Splits a part as far as it goes. A large part takes the node that gains most at once. A small one, where most is lost and
    // trying is cheap, follows each of the best few to its end and keeps the one that loses least; `final` is false while trying.
    Solution solve(Part part, bool final, Task& task) const {
        task.check();
        const bool small = people(part.records) < kSmallPart * options_.k;
        std::vector<Split> splits = best_splits(part, final && small ? options_.tries : 1);
        if (splits.empty()) {
            if (final) task.step(static_cast<int64_t>(part.records.size()));
            Solution done{loss_of(part), {}};
            done.parts.push_back(std::move(part));
            return done;
        }
        std::size_t best = 0;
        int64_t least = std::numeric_limits<int64_t>::max();
        for (std::size_t i = 0; splits.size() > 1 && i < splits.size(); ++i)
            if (const int64_t loss = follow(part, splits[i], false, task).loss; loss < least) least = loss, best = i;
        return follow(part, std::move(splits[best]), final, task);
    }

    // The splits that gain most, best first. Candidates come by falling promise, so most need not be tried out.
    std::vector<Split> best_splits(const Part& part, int64_t wanted) const {
        std::vector<Split> splits;
        for (const Candidate& c : candidates(part)) {
            const bool enough = static_cast<int64_t>(splits.size()) == wanted;
            if (enough && c.gain <= splits.back().gain) break;
            Split s = split(part, c.at);
            if (s.good.empty()) continue;
            splits.insert(std::ranges::upper_bound(splits, s.gain, std::ranges::greater{}, &Split::gain), std::move(s));
            if (static_cast<int64_t>(splits.size()) > wanted) splits.pop_back();
        }
        return splits;
    }

    Solution follow(const Part& part, Split s, bool final, Task& task) const {
        Solution all;
        auto add = [&](Part next) {
            Solution found = solve(std::move(next), final, task);
            all.loss += found.loss;
            std::ranges::move(found.parts, std::back_inserter(all.parts));
        };
        for (Sub& sub : s.good) add({std::move(sub.records), refined(part.cut, s.at, sub.children)});
        if (s.left.empty()) return all;
        Part rest{std::move(s.left), part.cut};
        rest.cut[s.at].open = false;
        if (!options_.recurse_leftover)
            for (CutNode& c : rest.cut) c.open = false;
        add(std::move(rest));
        return all;
    }

    int64_t loss_of(const Part& part) const {
        int64_t total = 0;
        for (const CutNode& c : part.cut)
            for (int64_t record : part.records) total += loss(c.node) * covered(record, c);
        return total;
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
            int64_t gain, length;
            std::size_t sub, position;
        };
        std::vector<Donor> donors;
        std::vector<Headcount> counts;
        for (std::size_t s = 0; s < good.size(); ++s) {
            counts.push_back(count(good[s].records));
            if (counts[s].people() <= options_.k) continue;
            for (std::size_t p = 0; p < good[s].records.size(); ++p) donors.push_back({gain(good[s].records[p], node), bags_.length(good[s].records[p]), s, p});
        }
        std::ranges::stable_sort(donors, {}, [](const Donor& d) { return std::pair(d.gain, d.length); });
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

    void emit(const Part& part, PartitionResult& result) const {
        const int64_t group = static_cast<int64_t>(result.cuts.indptr.size()) - 1;
        for (int64_t record : part.records) result.group[record] = group;
        std::vector<Entry> row;
        for (const CutNode& c : part.cut) {
            int64_t least = std::numeric_limits<int32_t>::max();
            for (int64_t record : part.records) least = std::min(least, covered(record, c));
            row.push_back({c.node, static_cast<int32_t>(least)});
        }
        std::ranges::sort(row, {}, &Entry::node);
        for (const Entry& e : row) {
            result.cuts.ids.push_back(e.node);
            result.cuts.counts.push_back(e.count);
        }
        result.cuts.indptr.push_back(static_cast<int64_t>(result.cuts.ids.size()));
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
};

}  // namespace

PartitionResult partition(const Rows& bags, std::span<const int32_t> parent, std::span<const int32_t> end,
                          std::span<const int64_t> leaves, std::span<const int64_t> order, std::span<const int64_t> owner,
                          const PartitionOptions& options, Task& task) {
    return Partitioner(bags, parent, end, leaves, owner, options).run(order, task);
}

}  // namespace shoal
