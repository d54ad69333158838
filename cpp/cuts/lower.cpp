#include "cuts/lower.hpp"

#include <algorithm>
#include <limits>

#include "cuts/rare_sets.hpp"

namespace shoal {

namespace {

constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();

class Lowering {
public:
    explicit Lowering(Tokens& tokens) : tokens_(tokens), problem_(tokens.problem()), rare_(tokens), hits_(problem_.tree.up.size(), 0) {}

    // Publishes children in place of a node wherever that makes no set rare. Whether anything changed.
    bool split(int32_t node, Task& task) {
        node_ = node;
        std::vector<Move> moves = lowered();
        if (moves.empty()) return false;
        tokens_.move(moves);
        std::vector<int32_t> changed = children_;
        for (;;) {
            task.check();
            std::vector<Move> back = raised_for_children(changed, task);
            if (back.empty()) back = raised_for_node(task);
            if (back.empty()) break;
            changed.clear();
            for (const Move& move : back) changed.push_back(tokens_.at(move.place));
            sort_unique(changed);
            tokens_.move(back);
        }
        return std::ranges::any_of(moves, [&](const Move& move) { return tokens_.at(move.place) == move.node; });
    }

private:
    int32_t child_of(int32_t item) const {
        while (problem_.tree.up[item] != node_) item = problem_.tree.up[item];
        return item;
    }

    std::vector<Move> lowered() {
        std::vector<Move> out;
        std::vector<int64_t> places;
        children_.clear();
        for (int32_t record : tokens_.holders(node_)) {
            places.clear();
            tokens_.places(record, node_, places);
            for (int64_t place : places) {
                const int32_t item = problem_.rows.ids[place];
                if (item == node_) continue;
                out.push_back({place, child_of(item)});
                children_.push_back(out.back().node);
            }
        }
        sort_unique(children_);
        return out;
    }

    bool is_child(int32_t node) const { return problem_.tree.up[node] == node_; }

    // Rare sets that hold a child: in each record that holds some, the children that hit most of them become the node again.
    std::vector<Move> raised_for_children(std::span<const int32_t> changed, Task& task) {
        RareFound found = rare_.with(changed, {problem_.m, everything, true}, task);
        std::ranges::sort(found.holdings,
                          [](const auto& a, const auto& b) { return a.record != b.record ? a.record < b.record : a.set < b.set; });
        std::vector<Move> out;
        const std::span<const RareFound::Holding> all(found.holdings);
        for (std::size_t i = 0, end = 0; i < all.size(); i = end) {
            for (end = i; end < all.size() && all[end].record == all[i].record;) ++end;
            raise_in_record(found, all.subspan(i, end - i), out);
        }
        return out;
    }

    void raise_in_record(const RareFound& found, std::span<const RareFound::Holding> held, std::vector<Move>& out) {
        std::vector<int32_t> nodes, open, chosen;
        for (const auto& holding : held) {
            open.push_back(holding.set);
            for (int32_t node : found.sets[holding.set])
                if (is_child(node) && hits_[node]++ == 0) nodes.push_back(node);
        }
        std::ranges::sort(nodes);
        while (!open.empty()) {
            int32_t best = nodes.front();
            for (int32_t node : nodes)
                if (hits_[node] > hits_[best]) best = node;
            chosen.push_back(best);
            std::erase_if(open, [&](int32_t set) {
                if (std::ranges::find(found.sets[set], best) == found.sets[set].end()) return false;
                for (int32_t node : found.sets[set])
                    if (is_child(node)) --hits_[node];
                return true;
            });
        }
        raise(held.front().record, chosen, out);
    }

    void raise(int32_t record, std::span<const int32_t> children, std::vector<Move>& out) {
        for (int64_t place = problem_.rows.indptr[record]; place < problem_.rows.indptr[record + 1]; ++place)
            if (std::ranges::find(children, tokens_.at(place)) != children.end()) out.push_back({place, node_});
    }

    // Rare sets that hold the node itself: as many records as are missing give up a child of theirs.
    std::vector<Move> raised_for_node(Task& task) {
        const RareFound found = rare_.with(std::span(&node_, 1), {problem_.m, everything, false}, task);
        std::vector<std::pair<int32_t, int32_t>> cells;  // records and the child to be given up
        for (const auto& set : found.sets) give(set, cells);
        sort_unique(cells);
        std::vector<Move> out;
        for (const auto& [record, child] : cells) raise(record, std::span(&child, 1), out);
        std::ranges::sort(out, {}, &Move::place);
        return out;
    }

    // Donors for one set: records that hold its other nodes and a child, those with the most people behind child and set first.
    void give(const std::vector<int32_t>& set, std::vector<std::pair<int32_t, int32_t>>& cells) {
        std::vector<int32_t> others;
        for (int32_t node : set)
            if (node != node_) others.push_back(node);
        struct Donors {
            int32_t child;
            std::vector<int32_t> records;
        };
        std::vector<Donors> donors;
        for (int32_t child : children_) {
            Donors d{child, holders_of(child, others)};
            if (!d.records.empty()) donors.push_back(std::move(d));
        }
        std::ranges::stable_sort(donors, [](const Donors& a, const Donors& b) { return a.records.size() > b.records.size(); });
        std::vector<int64_t> people;
        for (int32_t record : holders_of(node_, others)) people.push_back(problem_.owner(record));
        sort_unique(people);
        for (const Donors& d : donors)
            for (int32_t record : d.records) {
                if (static_cast<int64_t>(people.size()) >= problem_.k) return;
                const int64_t owner = problem_.owner(record);
                const auto at = std::ranges::lower_bound(people, owner);
                if (at != people.end() && *at == owner) continue;
                people.insert(at, owner);
                cells.push_back({record, d.child});
            }
    }

    std::vector<int32_t> holders_of(int32_t node, std::span<const int32_t> others) const {
        std::vector<int32_t> out;
        for (int32_t record : tokens_.holders(node)) {
            const auto row = tokens_.row(record);
            if (std::ranges::all_of(others, [&](int32_t other) { return std::ranges::binary_search(row, other); })) out.push_back(record);
        }
        return out;
    }

    Tokens& tokens_;
    const RecodingProblem& problem_;
    RareSets rare_;
    int32_t node_ = 0;
    std::vector<int32_t> children_;
    std::vector<int64_t> hits_;
};

}  // namespace

void lower(Tokens& tokens, Task& task) {
    Lowering lowering(tokens);
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t node = 0; node < static_cast<int32_t>(tokens.problem().tree.up.size()); ++node)
            if (!tokens.holders(node).empty()) changed |= lowering.split(node, task);
    }
}

}  // namespace shoal
