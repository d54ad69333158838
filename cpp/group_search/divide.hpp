// Dividing: a group whose members differ on a node becomes two, those who touch it and the others. A part of fewer than k people borrows
// some from groups that have people to spare.
//
// Only where people own several records: groups may then be large, and those who are lent are missed nowhere.
#pragma once

#include <optional>

#include "group_search/group_map.hpp"

namespace shoal {

class Divider {
public:
    // `most` is how many nodes a division is tried on, and how many groups are asked for people.
    Divider(const Scored& data, std::vector<GroupState>& groups, int64_t most, const Task& task);

    // Divides the group, and what comes out of it, as long as all together keep more. New groups are put at the end. Returns how many.
    int64_t improve(int64_t group);

private:
    // Somebody who is lent: a record and the group it leaves.
    struct Loan {
        int64_t group, record;
    };
    // One group made into two, with whoever is lent to them.
    struct Division {
        GroupState touching, others;
        std::vector<GroupState> lenders;  // after lending
        std::vector<int64_t> lender;      // which groups these are
        int64_t gain = 0;
    };
    // Members who touch a set of nodes more often than all do, by a number that stands for who they are.
    struct Side {
        int64_t weight = 0, members = 0;
        int32_t node = 0, least = 0;  // one of the nodes, and how often all members touch it
        uint64_t who = 0;
    };

    // Somebody who could be lent.
    struct Candidate {
        int64_t group, place;
        int64_t left;   // what their group keeps more without them; mostly less than zero
        int64_t value;  // of the part's meet with them: an upper bound once others were borrowed, as meets only shrink
    };

    bool divide(int64_t group);
    std::vector<Side> sides_of(const GroupState& group);
    Division divided(int64_t group, const Side& side, int64_t least);
    void open_meet(const Group& part);
    std::optional<int64_t> fill_up(Group& part, int64_t home, std::vector<Loan>& loans);
    void find_candidates(int64_t home);
    std::optional<int64_t> borrow(Group& part, std::vector<Loan>& loans);
    bool may_lend(const Candidate& candidate, const std::vector<Loan>& loans) const;
    bool settle(Division& division, const std::vector<Loan>& loans);
    void carry_out(int64_t group, Division& division);

    const Scored& data_;
    std::vector<GroupState>& groups_;
    std::size_t most_;
    const Task& task_;
    GroupMap map_;
    RunningMeet meet_;
    StateUpdater updater_;
    std::vector<Side> seen_;  // by node
    std::vector<Candidate> candidates_;
};

}  // namespace shoal
