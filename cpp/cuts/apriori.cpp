#include "cuts/apriori.hpp"

#include <algorithm>
#include <queue>
#include <set>

#include "base/infeasible.hpp"
#include "cuts/rare_sets.hpp"

namespace shoal {

namespace {

// The loss of all items at their present nodes, summed over intervals of the preorder.
class LossBelow {
public:
    explicit LossBelow(std::size_t nodes) : losses_(nodes + 1, 0), occurrences_(nodes + 1, 0), at_(nodes, 0) {}

    void set(int32_t item, int64_t loss) {
        add(losses_, item, loss - at_[item]);
        at_[item] = loss;
    }
    void set_occurrences(int32_t item, int64_t n) { add(occurrences_, item, n); }
    int64_t loss(int32_t begin, int32_t end) const { return sum(losses_, end) - sum(losses_, begin); }
    int64_t occurrences(int32_t begin, int32_t end) const { return sum(occurrences_, end) - sum(occurrences_, begin); }

private:
    static void add(std::vector<int64_t>& tree, int32_t at, int64_t value) {
        for (std::size_t i = static_cast<std::size_t>(at) + 1; i < tree.size(); i += i & (~i + 1)) tree[i] += value;
    }
    static int64_t sum(const std::vector<int64_t>& tree, int32_t end) {
        int64_t total = 0;
        for (auto i = static_cast<std::size_t>(end); i > 0; i &= i - 1) total += tree[i];
        return total;
    }
    std::vector<int64_t> losses_, occurrences_;
    std::vector<int64_t> at_;
};

class Generalizer {
public:
    explicit Generalizer(Cut& cut)
        : cut_(cut), problem_(cut.problem()), below_(problem_.tree.up.size()), holders_(problem_.tree.up.size()) {
        for (int32_t node : cut.nodes())
            for (int32_t item : cut.items_of(node)) {
                below_.set(item, cut.occurrences(item) * problem_.loss[node]);
                below_.set_occurrences(item, cut.occurrences(item));
            }
    }

    // Brings one rare set above k by the cheapest generalization of its nodes, unless one of them was generalized meanwhile.
    // Generalizations are looked at from the cheapest on: raising a node never costs less.
    void mend(std::span<const int32_t> set) {
        for (int32_t node : set)
            if (cut_.items_of(node).empty()) return;
        Queue open;
        std::set<std::vector<int32_t>> seen;
        offer({set.begin(), set.end()}, open, seen);
        while (!open.empty()) {
            const Choice choice = open.top();
            open.pop();
            if (frequent(choice.nodes)) {
                for (int32_t node : choice.nodes) merge(node);
                return;
            }
            for (std::size_t i = 0; i < choice.nodes.size(); ++i) {
                std::vector<int32_t> raised = choice.nodes;
                raised[i] = problem_.tree.up[raised[i]];
                if (raised[i] >= 0 && problem_.publishable[choice.nodes[i]]) offer(std::move(raised), open, seen);
            }
        }
        throw Infeasible("fewer than k people hold anything");
    }

private:
    struct Choice {
        int64_t cost;
        std::vector<int32_t> nodes;  // an antichain, rising

        auto operator<=>(const Choice&) const = default;
    };
    using Queue = std::priority_queue<Choice, std::vector<Choice>, std::greater<>>;

    // Nodes below another one of them are published as that one.
    void offer(std::vector<int32_t> nodes, Queue& open, std::set<std::vector<int32_t>>& seen) const {
        std::ranges::sort(nodes);
        Choice choice{0, {}};
        for (int32_t node : nodes)  // in preorder the nodes below another follow it
            if (choice.nodes.empty() || !problem_.tree.covers(choice.nodes.back(), node)) choice.nodes.push_back(node);
        if (!seen.insert(choice.nodes).second) return;
        for (int32_t node : choice.nodes) choice.cost += cost(node);
        open.push(std::move(choice));
    }

    // What publishing everything below a node as the node adds to the loss.
    int64_t cost(int32_t node) const {
        if (!cut_.items_of(node).empty() && cut_.items_below(node).size() == cut_.items_of(node).size()) return 0;
        const int32_t end = problem_.tree.end[node];
        return below_.occurrences(node, end) * problem_.loss[node] - below_.loss(node, end);
    }

    // Whether at least k people hold something below each of these nodes. What must not be published is not counted, nor known to anybody.
    bool frequent(const std::vector<int32_t>& nodes) {
        std::vector<std::span<const int32_t>> lists;
        for (int32_t node : nodes)
            if (problem_.publishable[node]) lists.push_back(holders(node));
        if (lists.empty()) return true;
        std::ranges::sort(lists, {}, [](const auto& list) { return list.size(); });
        int64_t people = 0, last = -1;
        std::vector<std::span<const int32_t>::iterator> at;
        for (const auto& list : lists) at.push_back(list.begin());
        for (int32_t record : lists.front()) {
            const int64_t owner = problem_.owner(record);
            if (people > 0 && owner == last) continue;
            bool all = true;
            for (std::size_t i = 1; i < lists.size() && all; ++i) {
                at[i] = std::lower_bound(at[i], lists[i].end(), record);
                all = at[i] != lists[i].end() && *at[i] == record;
            }
            if (!all) continue;
            last = owner;
            if (++people >= problem_.k) return true;
        }
        return false;
    }

    // Records that hold something below a node; kept, as they depend on the data alone.
    const std::vector<int32_t>& holders(int32_t node) {
        std::vector<int32_t>& out = holders_[node];
        if (!out.empty()) return out;
        for (int32_t item : cut_.items_below(node)) {
            const auto records = cut_.records_of(item);
            out.insert(out.end(), records.begin(), records.end());
        }
        sort_unique(out);
        return out;
    }

    void merge(int32_t node) {
        cut_.merge(node);
        for (int32_t item : cut_.items_of(node)) below_.set(item, cut_.occurrences(item) * problem_.loss[node]);
    }

    Cut& cut_;
    const RecodingProblem& problem_;
    LossBelow below_;
    std::vector<std::vector<int32_t>> holders_;
};

// Sets of rare nodes are mended first: their nodes are cheap to generalize, and that often mends sets of more frequent ones too.
std::size_t holders_together(const Tokens& tokens, std::span<const int32_t> set) {
    std::size_t total = 0;
    for (int32_t node : set) total += tokens.holders(node).size();
    return total;
}

// Mends all sets of up to this many nodes that are rare now; returns whether there were any.
bool mend_rare_sets(Generalizer& generalizer, RareSets& rare, const Cut& cut, int64_t size, Task& task) {
    const NodeSets sets = rare.with(cut.nodes(), {size, RareSets::all, false}, task).sets;
    // No two sets are equal, so their order is one of the sets and not of where they were found.
    std::vector<std::pair<std::size_t, std::size_t>> order;
    for (std::size_t i = 0; i < sets.size(); ++i) order.emplace_back(holders_together(cut.tokens(), sets[i]), i);
    std::ranges::sort(order, [&](const auto& a, const auto& b) {
        task.check();
        return a.first != b.first ? a.first < b.first : std::ranges::lexicographical_compare(sets[a.second], sets[b.second]);
    });
    for (const auto& [_, i] : order) {
        task.check();
        generalizer.mend(sets[i]);
    }
    return !sets.empty();
}

// The same for sets of one or two nodes, of which there may be nearly as many as pairs of items in the records.
bool mend_rare_pairs(Generalizer& generalizer, RareSets& rare, const Cut& cut, int64_t size, Task& task) {
    const auto sets = rare.by_holders(cut.nodes(), size, task);
    for (const auto& [first, second] : sets) {
        task.check();
        const int32_t set[] = {first, second};
        generalizer.mend(std::span(set, second == no_node ? 1 : 2));
    }
    return !sets.empty();
}

}  // namespace

void generalize_rare_sets(Cut& cut, bool size_by_size, Task& task) {
    Generalizer generalizer(cut);
    RareSets rare(cut.tokens());
    const int64_t m = cut.problem().m;
    for (int64_t size = size_by_size ? 1 : m; size <= m; ++size)
        while (size <= 2 ? mend_rare_pairs(generalizer, rare, cut, size, task) : mend_rare_sets(generalizer, rare, cut, size, task)) {}
}

}  // namespace shoal
