#include "cuts/rare_sets.hpp"

#include <algorithm>

#include "cuts/minimal.hpp"

namespace shoal {

RareSets::RareSets(const Tokens& tokens)
    : tokens_(tokens),
      problem_(tokens.problem()),
      done_(tokens.problem().tree.up.size(), 0),
      blocked_(done_.size()),
      people_(done_.size(), 0),
      last_owner_(done_.size(), -1),
      slot_(done_.size(), 0),
      set_of_(done_.size(), -1) {}

RareFound RareSets::with(std::span<const int32_t> nodes, const Wanted& wanted, const Task& task) {
    wanted_ = wanted;
    found_ = {};
    held_ = 0;
    if (levels_.size() < static_cast<std::size_t>(wanted.size)) levels_.resize(static_cast<std::size_t>(wanted.size));
    for (std::size_t i = 0; i < nodes.size() && wanted.minimal && !full(); ++i) note_alone(nodes[i]);
    prunes_ = false;
    if (wanted.minimal && wanted.size > 2) block_pairs(nodes, task);
    for (std::size_t i = 0; i < nodes.size() && !full(); ++i) {
        task.check();
        const int32_t node = nodes[i];
        if (!wanted.minimal) note_alone(node);
        if (done_[node]) continue;
        set_.assign(1, node);
        if (wanted.size > 1) extend(holders_of(node), 1, task);
        done_[node] = 1;
    }
    for (int32_t node : nodes) done_[node] = 0;
    constexpr int64_t pruned = 3;  // sets of so many nodes without a blocked pair are minimal
    if (wanted.minimal && wanted.size > 2 && !(prunes_ && wanted.size == pruned)) keep_minimal(found_, task);
    blocked_.end();
    return std::move(found_);
}

bool RareSets::BlockedPairs::begin(std::span<const int32_t> changed, std::span<const int32_t> others) {
    width_ = (others.size() + 63) / 64;
    if (changed.size() * width_ * sizeof(uint64_t) > most_bytes) return false;
    for (std::size_t i = 0; i < changed.size(); ++i) row_[changed[i]] = static_cast<int32_t>(i);
    for (std::size_t i = 0; i < others.size(); ++i) column_[others[i]] = static_cast<int32_t>(i);
    known_.assign(others.begin(), others.end());
    bits_.assign(changed.size() * width_, 0);
    return true;
}

void RareSets::BlockedPairs::end() {
    for (int32_t node : known_) row_[node] = column_[node] = -1;
    known_.clear();
}

// All rare pairs of a changed node that is not rare itself; each is counted from one of its nodes.
void RareSets::block_pairs(std::span<const int32_t> nodes, const Task& task) {
    std::vector<int32_t> open, beside;
    for (int32_t node : nodes)
        if (!done_[node]) open.push_back(node);
    for (int32_t node = 0; node < static_cast<int32_t>(done_.size()); ++node)
        if (!done_[node] && !tokens_.holders(node).empty()) beside.push_back(node);
    prunes_ = blocked_.begin(open, beside);
    if (!prunes_) return;
    if (levels_.size() < 2) levels_.resize(2);
    Level& level = levels_[1];
    for (int32_t node : open) {
        task.check();
        set_.assign(1, node);
        level.present.clear();
        count(holders_of(node), 1, level);
        for (const Present& one : level.present) {
            if (people_[one.node] < problem_.k) blocked_.block(node, one.node);
            people_[one.node] = 0;
        }
        done_[node] = 1;
    }
    for (int32_t node : open) done_[node] = 0;
}

// Calls body(first, second) for each rare set of one node, or of two where `size` allows it, in the order of the nodes.
template <class Body>
void RareSets::for_each_small(std::span<const int32_t> nodes, int64_t size, const Task& task, Body&& body) {
    if (levels_.size() < 2) levels_.resize(2);
    Level& level = levels_[1];
    for (int32_t node : nodes) {
        task.check();
        const auto holders = tokens_.holders(node);
        done_[node] = 1;
        if (people(holders) < problem_.k) {
            if (!holders.empty()) body(node, no_node);
        } else if (size > 1) {
            set_.assign(1, node);
            level.present.clear();
            count(holders_of(node), 1, level);
            std::ranges::sort(level.present, {}, &Present::node);
            for (const Present& one : level.present) {
                if (people_[one.node] < problem_.k) body(node, one.node);
                people_[one.node] = 0;
            }
        }
    }
    for (int32_t node : nodes) done_[node] = 0;
}

// The first time through, sets are counted by the number of holders of their nodes; the second time each is put into its place.
std::vector<RareSets::OneOrTwo> RareSets::by_holders(std::span<const int32_t> nodes, int64_t size, const Task& task) {
    const auto together = [&](int32_t first, int32_t second) {
        return tokens_.holders(first).size() + (second == no_node ? 0 : tokens_.holders(second).size());
    };
    std::vector<int64_t> start(2 * static_cast<std::size_t>(problem_.rows.size()) + 2, 0);
    for_each_small(nodes, size, task, [&](int32_t first, int32_t second) { ++start[together(first, second) + 1]; });
    for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
    held_ = 0;
    hold_more(start.back() * static_cast<int64_t>(sizeof(OneOrTwo)));
    std::vector<OneOrTwo> out(static_cast<std::size_t>(start.back()));
    for_each_small(nodes, size, task, [&](int32_t first, int32_t second) { out[start[together(first, second)]++] = {first, second}; });
    return out;
}

// A node that is rare by itself, or that nobody holds, is in no set that is looked for from here on.
void RareSets::note_alone(int32_t node) {
    const auto holders = tokens_.holders(node);
    if (people(holders) >= problem_.k) return;
    done_[node] = 1;
    if (holders.empty()) return;
    set_.assign(1, node);
    const int32_t set = note();
    if (!wanted_.holdings) return;
    hold_more(static_cast<int64_t>(holders.size() * sizeof(found_.holdings.front())));
    for (int32_t record : holders) found_.holdings.push_back({record, set});
}

std::span<const RareSets::Rest> RareSets::holders_of(int32_t node) {
    holders_.clear();
    for (int32_t record : tokens_.holders(node)) holders_.push_back({record, tokens_.row(record)});
    return holders_;
}

// All sets that hold `set_`, which these records publish. Beside the first node the others rise. Rare sets are noted before others are
// extended, so that, where only minimal ones are wanted, what is rare beside a part of a set does not count as rare beside all of it.
void RareSets::extend(std::span<const Rest> records, std::size_t depth, const Task& task) {
    task.check();
    Level& level = levels_[depth];
    const bool further = depth + 1 < static_cast<std::size_t>(wanted_.size);
    level.present.clear();
    count(records, depth, level);
    const auto rare = [this](const Present& one) { return people_[one.node] < problem_.k; };
    if (!further) {
        for (const Present& one : level.present)
            if (!rare(one)) people_[one.node] = 0;
        std::erase_if(level.present, [this](const Present& one) { return people_[one.node] == 0; });
    }
    std::ranges::sort(level.present, {}, &Present::node);
    bool any = false;
    for (Present& one : level.present) {
        const bool too_few = rare(one);
        people_[one.node] = 0;
        if (!too_few || full()) continue;
        set_.push_back(one.node);
        one.set = note();
        set_.pop_back();
        done_[one.node] = wanted_.minimal;
        any = true;
    }
    for (const Present& one : level.present) set_of_[one.node] = one.set;
    if (any && wanted_.holdings) hold(records);
    if (further && !full()) divide(records, depth, level);
    for (const Present& one : level.present) set_of_[one.node] = -1;
    for (const Present& one : level.present) {
        if (!further || one.set >= 0) continue;
        if (!full()) {
            set_.push_back(one.node);
            extend(level.rests[one.slot], depth + 1, task);
            set_.pop_back();
        }
        if (static_cast<std::size_t>(one.slot) < level.rests.size()) level.rests[one.slot].clear();
    }
    for (const Present& one : level.present)
        if (one.set >= 0) done_[one.node] = 0;
}

// Calls body(record, node) for each node of a record that may complete a larger set.
template <class Body>
void RareSets::for_each_beside(std::span<const Rest> records, std::size_t depth, Body&& body) const {
    const int32_t last = set_.back();
    const bool blocks = prunes_ && depth > 1;
    for (const Rest& rest : records)
        for (int32_t node : rest.nodes)
            if (!done_[node] && node != set_.front() && !(blocks && blocked_.blocked(last, node))) body(rest.record, node);
}

void RareSets::count(std::span<const Rest> records, std::size_t depth, Level& level) {
    const bool repeat = !problem_.owners.empty();
    for_each_beside(records, depth, [&](int32_t record, int32_t node) {
        if (people_[node] == 0) {
            slot_[node] = static_cast<int32_t>(level.present.size());
            level.present.push_back({node, slot_[node]});
        } else if (repeat && last_owner_[node] == problem_.owners[record]) {
            return;
        }
        ++people_[node];
        if (repeat) last_owner_[node] = problem_.owners[record];
    });
}

// Writes what may complete a set with one node more behind each such node. `set_of_` has the rare sets that were found.
void RareSets::divide(std::span<const Rest> records, std::size_t depth, Level& level) const {
    std::size_t most = 0;
    for (const Rest& rest : records) most += rest.nodes.size();
    level.nodes.resize(std::max(level.nodes.size(), most));  // not moved while it is filled
    if (level.rests.size() < level.present.size()) level.rests.resize(level.present.size());
    int32_t* next = level.nodes.data();
    for (const Rest& rest : records) {
        const int32_t* const begin = next;
        for_each_beside(std::span(&rest, 1), depth, [&](int32_t, int32_t node) { *next++ = node; });
        for (const int32_t* at = begin; at != next; ++at)
            if (set_of_[*at] < 0) level.rests[slot_[*at]].push_back({rest.record, std::span<const int32_t>(at + 1, static_cast<const int32_t*>(next))});
    }
}

void RareSets::hold(std::span<const Rest> records) {
    const std::size_t before = found_.holdings.size();
    for (const Rest& rest : records)
        for (int32_t node : rest.nodes)
            if (set_of_[node] >= 0) found_.holdings.push_back({rest.record, set_of_[node]});
    hold_more(static_cast<int64_t>((found_.holdings.size() - before) * sizeof(found_.holdings.front())));
}

int64_t RareSets::people(std::span<const int32_t> records) const {
    if (problem_.owners.empty()) return static_cast<int64_t>(records.size());
    int64_t total = 0;
    for (std::size_t i = 0; i < records.size(); ++i) total += i == 0 || problem_.owners[records[i - 1]] != problem_.owners[records[i]];
    return total;
}

// Rare sets are as many as the subsets of a record, where any number of nodes may be known: beyond a limit the search ends.
void RareSets::hold_more(int64_t bytes) {
    held_ += bytes;
    if (held_ > most_held) throw OutOfPatience("memory");
}

int32_t RareSets::note() {
    hold_more(static_cast<int64_t>(sizeof(std::size_t) + set_.size() * sizeof(int32_t)));
    rising_ = set_;
    std::ranges::sort(rising_);
    found_.sets.add(rising_);
    return static_cast<int32_t>(found_.sets.size()) - 1;
}

}  // namespace shoal
