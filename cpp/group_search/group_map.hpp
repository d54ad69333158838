// Where groups lie: sketches of their meets, to find those that are near each other, or near a record, without scoring all.
#pragma once

#include "base/task.hpp"
#include "lattice/sketch.hpp"
#include "group_search/group_state.hpp"

namespace shoal {

using Neighbours = std::vector<std::vector<int32_t>>;

class GroupMap {
public:
    GroupMap(const Scored& data, const std::vector<GroupState>& groups);

    // The groups with the most similar meets, the most similar first. Only as long as none is closed.
    std::vector<int32_t> nearest(int32_t group, std::size_t most);
    Neighbours all_nearest(std::size_t most, const Task& task);
    // ... and those most similar to this one, without groups that are closed.
    std::vector<int32_t> nearest_open(const std::vector<Entry>& meet, std::size_t most);

    // The groups that would gain most if the record joined them, by the look of it, and no less than `least`; the best first.
    std::vector<int32_t> best_targets(int64_t record, std::size_t most, int64_t least);
    // Nobody is sent there any more.
    void close(int64_t group);

private:
    // What a search reads of every group beside its sketch; by rising numbers of the groups.
    struct Slot {
        int32_t group, weight, size;
        bool open;
    };
    struct Found {
        int64_t far;
        int32_t group;
        auto operator<=>(const Found&) const = default;
    };
    template <class Far>
    std::vector<int32_t> best(std::size_t most, const Sketch& sketch, int64_t limit, Far&& far);
    int64_t keep_best(std::size_t most);
    // Closes the gaps; slots are no longer the numbers of their groups.
    void tidy();

    const Scored& data_;
    Sketcher sketcher_;
    std::vector<Sketch> sketches_;
    std::vector<Slot> slots_;
    std::size_t closed_ = 0;         // slots of closed groups
    std::vector<int32_t> distance_;  // of each slot, in the search
    std::vector<Found> found_;
};

}  // namespace shoal
