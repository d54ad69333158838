#include "group_search/chains.hpp"

namespace shoal {

namespace {

constexpr std::size_t kClosings = 24;

}  // namespace

int64_t Chains::improve_all(int64_t group) {
    int64_t improved = 0;
    const GroupState& home = groups_[group];
    for (int64_t i = 0; i < home.size(); ++i) {
        task_.check();
        const int64_t size = home.size();
        if ((home.slack(i) <= 0 && size <= data_.k) || !improve(group, i)) continue;
        ++improved;
        if (home.size() < size) --i;  // somebody else has this place now
    }
    return improved;
}

bool Chains::improve(int64_t home, int64_t i) {
    const GroupState& start = groups_[home];
    const bool may_shrink = can_spare(start, i);
    // If the place stays empty, the others keep a little more each, but one record less is kept.
    const int64_t unfilled = may_shrink ? -start.without[i] : 0;
    int64_t gain = start.slack(i), best = 0, record = start.members[i], from = home;
    path_.clear(), chosen_.clear();
    bool joins = false;
    for (int64_t depth = 0; depth < depth_; ++depth) {
        find_places(record, from, home, gain, may_shrink);
        if (may_shrink && try_joining(gain + unfilled, best)) joins = true;
        if (places_.empty()) break;
        if (try_closing(home, i, gain, best)) joins = false;
        const Place next = places_[0];
        gain += next.gain;
        path_.push_back(next.step);
        record = groups_[next.step.group].members[next.step.place], from = next.step.group;
        if (gain <= best) break;
    }
    close_place();
    if (best <= 0) return false;
    carry_out(home, i, joins);
    return true;
}

// All places in neighbouring groups that the record might take without the chain turning into a loss, the best first.
void Chains::find_places(int64_t record, int64_t from, int64_t home, int64_t gain, bool may_join) {
    places_.clear(), joins_.clear();
    record_.spread(data_.counts, record);
    for (int64_t c : neighbours_[from]) {
        if (c == home || on_path(c)) continue;
        const GroupState& there = groups_[c];
        const bool has_room = may_join && data_.may_join(there.members, there.people, record);
        if (!has_room && gain + there.size() * (*std::ranges::max_element(there.without) - there.value) <= 0) continue;
        const int64_t shared = shared_with(record_, there);
        find_places_in(c, record, gain, shared);
        if (has_room) joins_.push_back({there.gain_with(shared), {c, there.size()}});
    }
    record_.clear(data_.counts, record);
    keep_best_places();
}

void Chains::find_places_in(int64_t group, int64_t record, int64_t gain, int64_t shared) {
    const GroupState& there = groups_[group];
    for (int64_t p = 0; p < there.size(); ++p) {
        // Without the member the meet is larger by its gaps; the newcomer shares of them what it has.
        if (gain + there.size() * (shared + there.without[p] - 2 * there.value) <= 0) continue;
        const int64_t change = there.size() * (shared + shared_in_gaps(record_, there.gaps_of(p)) - there.value);
        if (gain + change > 0 && fits(there, p, record)) places_.push_back({change, {group, p}});
    }
}

void Chains::keep_best_places() {
    const auto shown = std::min<std::size_t>(places_.size(), kClosings);
    std::partial_sort(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(shown), places_.end());
    places_.resize(shown);
}

// Ends the chain: somebody whose place was taken fills the first one.
bool Chains::try_closing(int64_t home, int64_t i, int64_t gain, int64_t& best) {
    const GroupState& start = groups_[home];
    bool found = false;
    for (const Place& p : places_) {
        if (gain + p.gain <= best) break;
        const int64_t last = groups_[p.step.group].members[p.step.place];
        // It shares no more than it has.
        if (gain + p.gain + start.size() * (std::min(values_[last], start.without[i]) - start.without[i]) <= best) continue;
        if (!fits(start, i, last)) continue;
        open_place(start, i);
        const int64_t lost = start.size() * (place_.against(data_.counts, last, data_.weight) - start.without[i]);
        if (gain + p.gain + lost <= best) continue;
        best = gain + p.gain + lost;
        chosen_ = path_;
        chosen_.push_back(p.step);
        found = true;
    }
    return found;
}

// Ends the chain: the record in hand joins a group that has room, and the first place stays empty.
bool Chains::try_joining(int64_t gain, int64_t& best) {
    bool found = false;
    for (const Place& j : joins_) {
        if (gain + j.gain <= best) continue;
        best = gain + j.gain;
        chosen_ = path_;
        chosen_.push_back(j.step);
        found = true;
    }
    return found;
}

void Chains::carry_out(int64_t home, int64_t i, bool joins) {
    GroupState& start = groups_[home];
    int64_t record = start.members[i];
    if (joins) {
        groups_[chosen_.back().group].members.push_back(-1);
        start.members.erase(start.members.begin() + i);
    }
    for (const Step& s : chosen_) std::swap(record, groups_[s.group].members[s.place]);
    if (!joins) start.members[i] = record;
    updater_.update(start);
    for (const Step& s : chosen_) updater_.update(groups_[s.group]);
}

bool Chains::on_path(int64_t group) const {
    return std::ranges::any_of(path_, [&](const Step& s) { return s.group == group; });
}

bool Chains::can_spare(const GroupState& group, int64_t i) const { return group.people_without(i) >= data_.k; }

// A newcomer takes the place of one member: k people must be left. It may be a person who is there already, if another is to spare.
bool Chains::fits(const GroupState& there, int64_t place, int64_t record) const {
    if (!data_.owners_repeat || there.people_without(place) >= data_.k) return true;
    for (int64_t p = 0; p < there.size(); ++p)
        if (p != place && data_.owner[there.members[p]] == data_.owner[record]) return false;
    return true;
}

void Chains::open_place(const GroupState& group, int64_t i) {
    if (!place_nodes_.empty()) return;
    for (const auto& s : group.meet) place_[s.node] = s.count, place_nodes_.push_back(s.node);
    for (const auto& g : group.gaps_of(i)) place_[g.node] = g.next, place_nodes_.push_back(g.node);
}

void Chains::close_place() {
    for (int32_t v : place_nodes_) place_[v] = 0;
    place_nodes_.clear();
}

}  // namespace shoal
