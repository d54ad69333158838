#include "grouping/partition.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/infeasible.hpp"

namespace shoal {

namespace {

constexpr int64_t kSmallPart = 8;  // parts of fewer than this many times k people are worth trying several splits on

constexpr int32_t kReplaced = -1;  // in place of a node that was specialised

// One node of a cut, which lies in preorder. `whole`: it stands for everything below it; otherwise only for items equal to it. `open`: it
// may be specialised.
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
        if (people(all.records) < options_.k) throw Infeasible("fewer than k owners");
        PartitionResult result;
        result.group.assign(bags_.size(), -1);
        result.cuts.indptr.push_back(0);
        std::vector<Part> pending;
        pending.push_back(std::move(all));
        while (!pending.empty()) {
            Part part = std::move(pending.back());
            pending.pop_back();
            if (std::vector<Split> splits = worthwhile_splits(part, task); !splits.empty()) {
                carry_out(part, std::move(splits[least_lossy(part, splits, task)]), pending);
            } else {
                task.step(static_cast<int64_t>(part.records.size()));
                emit(part, result);
            }
        }
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

    // A node of the cut that may be specialised. `bound` is the most this can gain; once it was tried, what it does gain.
    struct Candidate {
        int64_t bound;
        bool tried;
        int64_t promise;  // the bound it came with, which breaks ties; then the first in the cut, which lies in preorder
        int32_t node;
        std::size_t at;  // its place in the cut

        bool operator<(const Candidate& o) const {
            return std::tuple(-bound, !tried, -promise, node) < std::tuple(-o.bound, !o.tried, -o.promise, o.node);
        }
    };

    void add_candidate(const Part& part, std::size_t at, std::set<Candidate>& queue) const {
        const CutNode& c = part.cut[at];
        if (!c.open || !c.whole || end_[c.node] == c.node + 1) return;
        int64_t total = 0;
        for (int64_t record : part.records) total += gain(record, c.node);
        queue.insert({total, false, total, c.node, at});
    }

    struct Split {
        int64_t gain = -1;
        int32_t node = -1;
        std::vector<Sub> good;
        std::vector<int64_t> left;

        // All records touch the same children: nothing is decided by it and nothing ruled out.
        bool unanimous() const { return good.size() == 1 && left.empty(); }
    };

    // What specialising this node really gives once small sub-parts are merged and filled up; no good sub-part if it cannot be done.
    Split split(const Part& part, int32_t node) const {
        Split s{0, node, {}, {}};
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

    // A large part takes the split that gains most at once. A small one, where most is lost and trying is cheap, looks at a few.
    std::vector<Split> worthwhile_splits(Part& part, const Task& task) const {
        return best_splits(part, people(part.records) < kSmallPart * options_.k ? options_.tries : 1, task);
    }

    // The splits that gain most, best first. As long as the best is unanimous it is carried out in place and the search goes on.
    std::vector<Split> best_splits(Part& part, int64_t wanted, const Task& task) const {
        std::set<Candidate> queue;
        for (std::size_t at = 0; at < part.cut.size(); ++at) add_candidate(part, at, queue);
        std::vector<Split> splits;
        std::map<int32_t, Split> tried;  // by node; only the first of the queue where one is wanted, as parts may then be large
        Candidate best{};                // that one
        while (!queue.empty() && static_cast<int64_t>(splits.size()) < wanted) {
            task.check();
            Candidate c = queue.extract(queue.begin()).value();
            if (c.tried) {
                splits.push_back(std::move(tried.at(c.node)));
                continue;
            }
            Split s = split(part, c.node);
            if (s.good.empty()) continue;
            if (splits.empty() && s.unanimous()) {
                const std::size_t first = part.cut.size();
                for (const CutNode& finer : children_cut(s.node, s.good.front().children)) part.cut.push_back(finer);
                part.cut[c.at].node = kReplaced;
                for (std::size_t at = first; at < part.cut.size(); ++at) add_candidate(part, at, queue);
                continue;
            }
            c.bound = s.gain;
            c.tried = true;
            queue.insert(c);
            if (wanted == 1 && !tried.empty()) {
                if (!(c < best)) continue;
                tried.clear();
            }
            best = c;
            tried.emplace(c.node, std::move(s));
        }
        std::erase_if(part.cut, [](const CutNode& c) { return c.node == kReplaced; });
        std::ranges::sort(part.cut, {}, &CutNode::node);
        return splits;
    }

    // Follows each split to its end, where there is a choice, and says which loses least.
    std::size_t least_lossy(const Part& part, const std::vector<Split>& splits, const Task& task) const {
        std::size_t best = 0;
        int64_t least = std::numeric_limits<int64_t>::max();
        for (std::size_t i = 0; splits.size() > 1 && i < splits.size(); ++i)
            if (const int64_t loss = loss_after(part, splits[i], task); loss < least) least = loss, best = i;
        return best;
    }

    int64_t loss_after(const Part& part, Split first, const Task& task) const {
        int64_t loss = 0;
        std::vector<Part> pending;
        carry_out(part, std::move(first), pending);
        while (!pending.empty()) {
            Part next = std::move(pending.back());
            pending.pop_back();
            if (std::vector<Split> splits = best_splits(next, 1, task); !splits.empty())
                carry_out(next, std::move(splits.front()), pending);
            else
                loss += loss_of(next);
        }
        return loss;
    }

    // The parts that a split makes of a part: one for each good sub-part, and one for what is left, which keeps the cut.
    void carry_out(const Part& part, Split s, std::vector<Part>& pending) const {
        const std::size_t at = std::ranges::lower_bound(part.cut, s.node, {}, &CutNode::node) - part.cut.begin();
        for (Sub& sub : s.good) pending.push_back({std::move(sub.records), refined(part.cut, at, sub.children)});
        if (s.left.empty()) return;
        Part rest{std::move(s.left), part.cut};
        rest.cut[at].open = false;
        if (!options_.recurse_leftover)
            for (CutNode& c : rest.cut) c.open = false;
        pending.push_back(std::move(rest));
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
            for (std::size_t p = 0; p < good[s].records.size(); ++p)
                donors.push_back({gain(good[s].records[p], node), bags_.length(good[s].records[p]), s, p});
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

    static std::vector<CutNode> children_cut(int32_t node, const std::vector<int32_t>& children) {
        std::vector<CutNode> out;
        for (int32_t child : children) out.push_back({child, child != node, child != node});
        return out;
    }

    static std::vector<CutNode> refined(const std::vector<CutNode>& cut, std::size_t at, const std::vector<int32_t>& children) {
        std::vector<CutNode> out(cut.begin(), cut.begin() + at);
        std::ranges::move(children_cut(cut[at].node, children), std::back_inserter(out));
        out.insert(out.end(), cut.begin() + at + 1, cut.end());
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
        for (auto at = std::ranges::lower_bound(items, c.node) - items.begin(); at < static_cast<int64_t>(items.size()) && items[at] < stop;
             ++at)
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

PartitionResult partition(const Rows& bags, std::span<const int32_t> parent, std::span<const int32_t> end, std::span<const int64_t> leaves,
                          std::span<const int64_t> order, std::span<const int64_t> owner, const PartitionOptions& options, Task& task) {
    return Partitioner(bags, parent, end, leaves, owner, options).run(order, task);
}

}  // namespace shoal
