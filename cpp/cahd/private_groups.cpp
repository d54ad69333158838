#include "cahd/private_groups.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "cahd/holders.hpp"

namespace shoal {

namespace {

// The records that are in no group yet, in their order.
class Line {
public:
    explicit Line(int64_t n) : before_(n), after_(n), live_(n, true) {
        std::iota(before_.begin(), before_.end(), int64_t{-1});
        std::iota(after_.begin(), after_.end(), int64_t{1});
    }
    bool live(int64_t record) const { return live_[record]; }
    int64_t before(int64_t record) const { return before_[record]; }
    int64_t after(int64_t record) const { return after_[record]; }
    int64_t end() const { return static_cast<int64_t>(live_.size()); }
    void remove(int64_t record) {
        live_[record] = false;
        if (before_[record] >= 0) after_[before_[record]] = after_[record];
        if (after_[record] < end()) before_[after_[record]] = before_[record];
    }

private:
    std::vector<int64_t> before_, after_;
    std::vector<bool> live_;
};

class Former {
public:
    Former(const PrivacyProblem& problem, const GroupReach& reach)
        : problem_(problem),
          reach_(reach),
          line_(problem.known.size()),
          holders_(problem.known, problem.items),
          holders_of_kind_(problem.sensitive, problem.items),
          group_(problem.known.size(), -1),
          left_(problem.items, 0),
          remaining_(problem.known.size()),
          taken_kind_(problem.items, -1),
          taken_owner_(problem.known.size(), -1),
          in_start_(problem.items, -1),
          seen_(problem.known.size(), -1) {
        for (int32_t kind : problem.sensitive.ids)
            if (!left_[kind]++) kinds_.push_back(kind);
        std::ranges::sort(kinds_);
    }

    // One pass over the sensitive records; says whether a group was formed.
    bool pass(Task& task) {
        bool formed = false;
        for (int64_t record = 0; record < line_.end(); ++record) {
            if (!line_.live(record) || problem_.sensitive.row_ids(record).empty()) continue;
            task.check();
            formed |= form(record);
        }
        return formed;
    }

    std::vector<int64_t>&& groups() { return std::move(group_); }

private:
    // A record that may join: how much it differs, how much it shares, how far it is in the order.
    struct Candidate {
        int64_t differing, common, far, record;
        bool better(const Candidate& other) const {
            return std::tie(differing, other.common, far, record) < std::tie(other.differing, common, other.far, other.record);
        }
    };

    const PrivacyProblem& problem_;
    const GroupReach reach_;
    Line line_;
    Holders holders_, holders_of_kind_;
    std::vector<int64_t> group_, left_;
    std::vector<int32_t> kinds_;  // the sensitive items that occur
    int64_t remaining_, formed_ = 0, round_ = 0, look_ = 0;
    std::vector<int64_t> taken_kind_, taken_owner_, in_start_;  // the round in which each was last marked
    std::vector<int64_t> seen_;                                 // the look in which each was last seen

    bool fits(int64_t record) const {
        if (taken_owner_[problem_.owners[record]] == round_) return false;
        for (int32_t kind : problem_.sensitive.row_ids(record))
            if (taken_kind_[kind] == round_) return false;
        return true;
    }
    void take(int64_t record) {
        taken_owner_[problem_.owners[record]] = round_;
        for (int32_t kind : problem_.sensitive.row_ids(record)) taken_kind_[kind] = round_;
    }

    bool form(int64_t start) {
        begin(start);
        std::vector<int64_t> members = reach_.nearest ? nearest(start) : closest_in_window(start);
        if (static_cast<int64_t>(members.size()) < problem_.p || !leaves_enough(members)) return false;
        for (int64_t record : members) accept(record);
        ++formed_;
        return true;
    }

    void begin(int64_t start) {
        ++round_;
        take(start);
        for (int32_t item : problem_.known.row_ids(start)) in_start_[item] = round_;
    }

    void accept(int64_t record) {
        group_[record] = formed_;
        line_.remove(record);
        --remaining_;
        for (int32_t kind : problem_.sensitive.row_ids(record)) --left_[kind];
    }

    bool leaves_enough(const std::vector<int64_t>& members) {
        const int64_t after = remaining_ - static_cast<int64_t>(members.size());
        for (int64_t record : members)
            for (int32_t kind : problem_.sensitive.row_ids(record)) --left_[kind];
        const bool enough = std::ranges::all_of(kinds_, [&](int32_t kind) { return left_[kind] * problem_.p <= after; });
        for (int64_t record : members)
            for (int32_t kind : problem_.sensitive.row_ids(record)) ++left_[kind];
        return enough;
    }

    Candidate scored(int64_t start, int64_t record) const {
        int64_t common = 0;
        const auto own = problem_.known.row_ids(record);
        for (int32_t item : own) common += in_start_[item] == round_;
        const auto lengths = static_cast<int64_t>(own.size() + problem_.known.row_ids(start).size());
        return {lengths - 2 * common, common, std::abs(record - start), record};
    }

    // The start and the p - 1 records of its window that have most in common with it; those found first are first among equals.
    std::vector<int64_t> closest_in_window(int64_t start) {
        std::vector<Candidate> list;
        walk(start, reach_.window, [&](int64_t record) { list.push_back(scored(start, record)); });
        std::ranges::stable_sort(list, [](const Candidate& a, const Candidate& b) { return a.common > b.common; });
        std::vector<int64_t> members{start};
        for (const Candidate& c : list)
            if (static_cast<int64_t>(members.size()) < problem_.p) members.push_back(c.record);
        return members;
    }

    // Goes outwards from a record, by turns before and after, and takes up to `most` records on each side that fit what was taken.
    template <class Visit>
    void walk(int64_t start, int64_t most, Visit&& visit) {
        int64_t low = line_.before(start), high = line_.after(start), below = 0, above = 0;
        const auto next_fitting = [&](int64_t& at, auto step) {
            while (at >= 0 && at < line_.end() && !fits(at)) at = step(at);
            return at >= 0 && at < line_.end();
        };
        while ((below < most && low >= 0) || (above < most && high < line_.end())) {
            if (below < most && next_fitting(low, [&](int64_t r) { return line_.before(r); })) {
                take(low), visit(low), ++below;
                low = line_.before(low);
            }
            if (above < most && next_fitting(high, [&](int64_t r) { return line_.after(r); })) {
                take(high), visit(high), ++above;
                high = line_.after(high);
            }
        }
    }

    // The start and the p - 1 records that differ least from it, among those that share an item with it; the rest from its surroundings.
    std::vector<int64_t> nearest(int64_t start) {
        std::vector<int64_t> members{start};
        hold_the_scarce(start, members);
        choose(sharing(start), problem_.p, members);
        walk(start, problem_.p, [&](int64_t record) {
            if (static_cast<int64_t>(members.size()) < problem_.p) members.push_back(record);
        });
        return members;
    }

    // Items so frequent among what remains that every group of p must hold one of them: n * p > remaining - p. A group that holds all of
    // these leaves enough, because (n - 1) * p <= remaining - p wherever n * p <= remaining.
    void hold_the_scarce(int64_t start, std::vector<int64_t>& members) {
        for (int32_t kind : kinds_) {
            if (left_[kind] * problem_.p <= remaining_ - problem_.p || taken_kind_[kind] == round_) continue;
            std::vector<Candidate> found;
            ++look_;
            around(holders_of_kind_.of(kind), start, found);
            choose(std::move(found), static_cast<int64_t>(members.size()) + 1, members);
        }
    }

    // Adds the best candidates that fit, until there are so many members.
    void choose(std::vector<Candidate> heap, int64_t most, std::vector<int64_t>& members) {
        const auto worse = [](const Candidate& a, const Candidate& b) { return b.better(a); };
        std::ranges::make_heap(heap, worse);
        while (static_cast<int64_t>(members.size()) < most && !heap.empty()) {
            std::ranges::pop_heap(heap, worse);
            const int64_t record = heap.back().record;
            heap.pop_back();
            if (!fits(record)) continue;
            take(record);
            members.push_back(record);
        }
    }

    // Up to `nearest` records that share an item with the start, rare items first, and of an item those first that stand near.
    std::vector<Candidate> sharing(int64_t start) {
        const auto own = problem_.known.row_ids(start);
        std::vector<int32_t> items(own.begin(), own.end());
        std::ranges::stable_sort(items, [&](int32_t a, int32_t b) { return holders_.count(a) < holders_.count(b); });
        std::vector<Candidate> found;
        ++look_;
        for (int32_t item : items) around(holders_.of(item), start, found);
        return found;
    }

    // Adds records of a list that are in no group, those near the start first, until enough are found.
    void around(std::span<const int64_t> records, int64_t start, std::vector<Candidate>& found) {
        auto high = std::ranges::lower_bound(records, start), low = high;
        const auto look = [&](int64_t record) {
            if (record == start || !line_.live(record) || seen_[record] == look_) return;
            seen_[record] = look_;
            found.push_back(scored(start, record));
        };
        while (static_cast<int64_t>(found.size()) < reach_.nearest && (low != records.begin() || high != records.end())) {
            if (low != records.begin()) look(*--low);
            if (high != records.end()) look(*high++);
        }
    }
};

}  // namespace

std::vector<int64_t> private_groups(const PrivacyProblem& problem, const GroupReach& reach, Task& task) {
    Former former(problem, reach);
    while (former.pass(task)) {}
    return former.groups();
}

}  // namespace shoal
