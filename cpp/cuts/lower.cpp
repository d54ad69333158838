#include "cuts/lower.hpp"

#include <algorithm>

#include "cuts/cover.hpp"

namespace shoal {

namespace {

constexpr int64_t worthwhile = 200;  // a further sweep must be expected to gain at least this part of the loss

// A record, and a child in it that may become its parent again.
struct Donor {
    int32_t child;
    int32_t record;
    auto operator<=>(const Donor&) const = default;
};

class Lowering {
public:
    explicit Lowering(Tokens& tokens) : tokens_(tokens), problem_(tokens.problem()), rare_(tokens), cover_(problem_.tree.up.size()) {}

    // Puts children in place of a node wherever that makes no set rare, and tells the gain. What would lose is undone.
    int64_t split(int32_t node, Task& task) {
        node_ = node;
        before_.clear();
        const std::vector<Move> moves = lowered();
        if (moves.empty()) return 0;
        move(moves);
        // Every round raises children and lowers none, so there is an end.
        for (std::vector<int32_t> changed = children_; !changed.empty();) {
            task.check();
            const std::vector<Move> back = raised(changed, task);
            changed.clear();
            for (const Move& one : back) changed.push_back(tokens_.at(one.place));
            sort_unique(changed);
            move(back);
        }
        return settle();
    }

private:
    void move(const std::vector<Move>& moves) {
        for (const Move& one : moves) before_.push_back({one.place, tokens_.at(one.place)});
        tokens_.move(moves);
    }

    // The gain of all moves since the split began; undoes them where they lose. A split that gains nothing stays: an only child loses as
    // much as its parent, and its own children may lose less.
    int64_t settle() {
        std::ranges::stable_sort(before_, {}, &Move::place);
        const auto repeated = std::ranges::unique(before_, {}, &Move::place);
        before_.erase(repeated.begin(), repeated.end());
        int64_t gain = 0;
        for (const Move& one : before_) gain += problem_.loss_at(one.node) - problem_.loss_at(tokens_.at(one.place));
        if (gain < 0) tokens_.move(before_);
        return std::max<int64_t>(gain, 0);
    }

    // What the node may be replaced by: its children, or where it must not be published the topmost nodes below it that may.
    bool is_child(int32_t node) const {
        if (problem_.publishable[node_]) return problem_.tree.up[node] == node_;
        return node > node_ && problem_.tree.covers(node_, node) && problem_.publishable[node] &&
               !problem_.publishable[problem_.tree.up[node]];
    }

    // The child above an item that stands below the node; no_node where all of them must not be published.
    int32_t child_of(int32_t item) const {
        while (item > node_ && !is_child(item)) item = problem_.tree.up[item];
        return item > node_ ? item : no_node;
    }

    bool holds_child(std::span<const int32_t> set) const {
        return std::ranges::any_of(set, [this](int32_t node) { return is_child(node); });
    }

    std::vector<Move> lowered() {
        std::vector<Move> out;
        std::vector<int64_t> places;
        children_.clear();
        for (int32_t record : tokens_.records_at(node_)) {
            places.clear();
            tokens_.places(record, node_, places);
            for (int64_t place : places) {
                const int32_t child = child_of(problem_.rows.ids[place]);
                if (child == no_node) continue;
                out.push_back({place, child});
                children_.push_back(child);
            }
        }
        sort_unique(children_);
        return out;
    }

    // What must become the node again. Rare sets that hold a child are broken up first: in every record that holds one, children become the
    // node. A rare set of the node and no child was safe before the split, so enough people can take the node back.
    std::vector<Move> raised(std::span<const int32_t> changed, Task& task) {
        RareFound found = rare_.with(changed, {problem_.m, RareSets::all, true}, task);
        if (found.empty()) found = rare_.with(std::span(&node_, 1), {problem_.m, RareSets::all, true}, task);
        std::vector<Move> out = raised_where_held(found, task);
        return out.empty() ? given_back(found) : out;
    }

    // In each record that holds a rare set with a child, the children that hit most of its rare sets become the node.
    std::vector<Move> raised_where_held(RareFound& found, const Task& task) {
        std::erase_if(found.holdings, [&](const auto& holding) { return !holds_child(found.sets[holding.set]); });
        std::vector<Move> out;
        for_each_record(found, task, [&](int32_t record, std::span<const RareFound::Holding> held) {
            raise(record, cover_.chosen(found, held, children_in(found, held), [](int32_t) { return 0; }), out);
        });
        return out;
    }

    std::vector<int32_t> children_in(const RareFound& found, std::span<const RareFound::Holding> held) const {
        std::vector<int32_t> out;
        for (const auto& holding : held)
            std::ranges::copy_if(found.sets[holding.set], std::back_inserter(out), [this](int32_t node) { return is_child(node); });
        sort_unique(out);
        return out;
    }

    void raise(int32_t record, std::span<const int32_t> children, std::vector<Move>& out) const {
        for (int64_t place = problem_.rows.indptr[record]; place < problem_.rows.indptr[record + 1]; ++place)
            if (std::ranges::find(children, tokens_.at(place)) != children.end()) out.push_back({place, node_});
    }

    // For every rare set of the node as many records as people are missing take the node back.
    std::vector<Move> given_back(const RareFound& found) const {
        std::vector<Donor> donors;
        for (std::size_t i = 0; i < found.sets.size(); ++i) find_donors(found.sets[i], donors);
        sort_unique(donors);
        std::vector<Move> out;
        for (const Donor& donor : donors) raise(donor.record, std::span(&donor.child, 1), out);
        std::ranges::sort(out, {}, &Move::place);
        return out;
    }

    // Donors for one set: records that hold its other nodes and a child; children that many of them hold give first.
    void find_donors(std::span<const int32_t> set, std::vector<Donor>& out) const {
        std::vector<int64_t> people;
        std::vector<Donor> able;
        for (int32_t record : holders_of_others(set)) {
            const auto row = tokens_.row(record);
            if (std::ranges::binary_search(row, node_)) people.push_back(problem_.owner(record));
            for (auto at = std::ranges::upper_bound(row, node_); at != row.end() && problem_.tree.covers(node_, *at); ++at)
                if (is_child(*at)) able.push_back({*at, record});
        }
        sort_unique(people);
        most_held_first(able);
        for (const Donor& donor : able) {
            if (static_cast<int64_t>(people.size()) >= problem_.k) return;
            const int64_t owner = problem_.owner(donor.record);
            const auto at = std::ranges::lower_bound(people, owner);
            if (at != people.end() && *at == owner) continue;
            people.insert(at, owner);
            out.push_back(donor);
        }
    }

    static void most_held_first(std::vector<Donor>& donors) {
        std::ranges::sort(donors);
        std::vector<std::pair<int64_t, Donor>> ranked;
        for (std::size_t i = 0, end = 0; i < donors.size(); i = end) {
            for (end = i; end < donors.size() && donors[end].child == donors[i].child;) ++end;
            for (std::size_t j = i; j < end; ++j) ranked.emplace_back(-static_cast<int64_t>(end - i), donors[j]);
        }
        std::ranges::sort(ranked);
        for (std::size_t i = 0; i < donors.size(); ++i) donors[i] = ranked[i].second;
    }

    // Records that hold all nodes of a set but the one that is split, and that one or a child of it: found from the rarest of the others.
    std::vector<int32_t> holders_of_others(std::span<const int32_t> set) const {
        std::vector<int32_t> others, out;
        std::ranges::remove_copy(set, std::back_inserter(others), node_);
        if (others.empty()) {
            out.assign(tokens_.holders(node_).begin(), tokens_.holders(node_).end());
            for (int32_t child : children_) out.insert(out.end(), tokens_.holders(child).begin(), tokens_.holders(child).end());
            sort_unique(out);
            return out;
        }
        const int32_t rarest = *std::ranges::min_element(others, {}, [this](int32_t node) { return tokens_.holders(node).size(); });
        for (int32_t record : tokens_.holders(rarest)) {
            const auto row = tokens_.row(record);
            if (std::ranges::all_of(others, [&](int32_t other) { return std::ranges::binary_search(row, other); })) out.push_back(record);
        }
        return out;
    }

    Tokens& tokens_;
    const RecodingProblem& problem_;
    RareSets rare_;
    Cover cover_;
    int32_t node_ = 0;
    std::vector<int32_t> children_;
    std::vector<Move> before_;  // what stood at the places that were moved since the split began
};

}  // namespace

void lower(Tokens& tokens, Task& task) {
    Lowering lowering(tokens);
    int64_t gained = 0;
    do {
        gained = 0;
        for (int32_t node = 0; node < static_cast<int32_t>(tokens.problem().tree.up.size()); ++node) gained += lowering.split(node, task);
    } while (gained > 0 && gained >= tokens.loss() / worthwhile);
}

}  // namespace shoal
