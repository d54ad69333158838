// Chains: members change places along a way through neighbouring groups, if the groups keep more by it.
//
// A member that holds its group back leaves; it takes the place of somebody in another group, who takes a place in a third, until the last
// one fits into the place that was left first. A chain of one step is a swap. Where a group has more than k members the first place may
// also stay empty, and the last one simply joins: a move.
#pragma once

#include "group_search/group_map.hpp"

namespace shoal {

class Chains {
public:
    // `values` are those of the records; a chain has at most `depth` steps.
    Chains(const Scored& data, std::span<const int64_t> values, std::vector<GroupState>& groups, const Neighbours& neighbours,
           int64_t depth, const Task& task)
        : data_(data),
          values_(values),
          groups_(groups),
          neighbours_(neighbours),
          depth_(depth),
          task_(task),
          record_(data.nodes()),
          place_(data.nodes()),
          updater_(data) {}

    // Chains that start with each member of the group. Returns how many were carried out.
    int64_t improve_all(int64_t group);

private:
    // The best chain found that starts with member i of group `home` leaving. True if one was worth carrying out.
    bool improve(int64_t home, int64_t i);

    struct Step {
        int64_t group, place;
    };
    struct Place {
        int64_t gain;
        Step step;
        bool operator<(const Place& o) const {
            if (gain != o.gain) return gain > o.gain;
            return step.group != o.step.group ? step.group < o.step.group : step.place < o.step.place;
        }
    };

    void find_places(int64_t record, int64_t from, int64_t home, int64_t gain, bool may_join);
    void find_places_in(int64_t group, int64_t record, int64_t gain, int64_t shared);
    void keep_best_places();
    bool try_joining(int64_t gain, int64_t& best);
    bool try_closing(int64_t home, int64_t i, int64_t gain, int64_t& best);
    void carry_out(int64_t home, int64_t i, bool joins);
    bool on_path(int64_t group) const;
    bool can_spare(const GroupState& group, int64_t i) const;
    bool fits(const GroupState& there, int64_t place, int64_t record) const;
    void open_place(const GroupState& group, int64_t i);
    void close_place();

    const Scored& data_;
    std::span<const int64_t> values_;
    std::vector<GroupState>& groups_;
    const Neighbours& neighbours_;
    int64_t depth_;
    const Task& task_;
    Dense record_;  // the record that looks for a place
    Dense place_;   // what the first group would like in the place that is open
    std::vector<int32_t> place_nodes_;
    StateUpdater updater_;
    std::vector<Place> places_;
    std::vector<Place> joins_;  // groups with room; the gain is that of joining
    std::vector<Step> path_, chosen_;
};

}  // namespace shoal
