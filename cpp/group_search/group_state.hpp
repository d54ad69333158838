// A group as local search sees it: what it keeps, and for each member how much more it would keep without that one.
#pragma once

#include "lattice/meets.hpp"

namespace shoal {

struct GroupState {
    // A node of the meet, with the count that all members share.
    struct Shared {
        int64_t weight;
        int32_t node, count;
    };
    // A node on which one member alone holds the meet down: the others share `next`, all of them only `least`.
    struct Gap {
        int64_t weight;
        int32_t node, least, next;
    };

    Group members;
    int64_t people = 0;
    std::vector<uint8_t> alone;  // whose owner has no other record here; empty where nobody owns several
    std::vector<Shared> meet;
    int64_t value = 0;
    std::vector<Gap> gaps;               // of the first member, then of the second, ...
    std::vector<std::size_t> first_gap;  // one more than members
    std::vector<int64_t> without;        // value of the meet of all but this member

    int64_t size() const { return static_cast<int64_t>(members.size()); }
    int64_t kept() const { return size() * value; }
    // What it keeps more with a newcomer who shares so much with it.
    int64_t gain_with(int64_t shared) const { return (size() + 1) * shared - kept(); }
    std::span<const Gap> gaps_of(int64_t i) const { return std::span(gaps).subspan(first_gap[i], first_gap[i + 1] - first_gap[i]); }
    // How many people are left without the member.
    int64_t people_without(int64_t i) const { return people - (alone.empty() ? 1 : alone[i]); }
    // What the group gains if the member's place is left open.
    int64_t slack(int64_t i) const { return size() * (without[i] - value); }
};

// Brings groups up to date with their members. Holds the memory that this takes.
class StateUpdater {
public:
    explicit StateUpdater(const Scored& data);
    void update(GroupState& group);

private:
    struct Seen {
        int32_t least = 0, next = 0;  // the two smallest counts
        int32_t holders = 0;          // members that touch the node
        uint32_t holder_sum = 0;      // of their places, modulo 2^32: enough to tell which one is missing
        int32_t lowest = 0;           // the place with the smallest count
    };
    void count_people(GroupState& group);
    void scan_members(const GroupState& group);
    void add_node(GroupState& group, int32_t node, const Seen& seen);

    const Scored& data_;
    std::vector<Seen> seen_;
    std::vector<int32_t> nodes_;
    std::vector<std::pair<int32_t, GroupState::Gap>> found_;
    std::vector<int32_t> person_;      // a small number for each record's owner; empty where nobody owns several
    std::vector<int32_t> records_of_;  // of each person, in the group that is looked at
};

// What a record, spread out, shares with the meet.
inline int64_t shared_with(const Dense& record, const GroupState& group) {
    int64_t total = 0;
    for (const auto& s : group.meet) total += s.weight * std::min(s.count, record[s.node]);
    return total;
}

// How much more it shares with the meet of all but one member.
inline int64_t shared_in_gaps(const Dense& record, std::span<const GroupState::Gap> gaps) {
    int64_t total = 0;
    for (const auto& g : gaps) total += g.weight * (std::min(g.next, std::max(g.least, record[g.node])) - g.least);
    return total;
}

}  // namespace shoal
