#include "group_search/group_map.hpp"

#include <limits>

namespace shoal {

namespace {

std::vector<int64_t> mass_of_meets(const Scored& data, const std::vector<GroupState>& groups) {
    std::vector<int64_t> mass(data.nodes(), 0);
    for (const GroupState& c : groups)
        for (const auto& s : c.meet) mass[s.node] += s.weight * s.count;
    return mass;
}

}  // namespace

GroupMap::GroupMap(const Scored& data, const std::vector<GroupState>& groups)
    : data_(data), sketcher_(data.weight, mass_of_meets(data, groups)) {
    std::vector<Sketcher::Sums> sums(groups.size());
    std::vector<int64_t> flat;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        sums[g].fill(0);
        for (const auto& s : groups[g].meet) sketcher_.add(sums[g], s.node, s.count);
        flat.insert(flat.end(), sums[g].begin(), sums[g].begin() + kSketch);
    }
    sketcher_.fit(flat);
    distance_.resize(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
        sketches_.push_back(sketcher_.sketch(sums[g]));
        slots_.push_back({static_cast<int32_t>(g), weight_of(sketches_[g]), static_cast<int32_t>(groups[g].size()), true});
    }
}

// `far` turns the distance of two sketches into how far a group is. Only what is below the limit is found.
template <class Far>
std::vector<int32_t> GroupMap::best(std::size_t most, const Sketch& sketch, int64_t limit, Far&& far) {
    found_.clear();
    distances(sketch, sketches_, distance_.data());
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const Slot& slot = slots_[i];
        const int64_t away = far(slot, distance_[i]);
        if (away >= limit || !slot.open) continue;
        found_.push_back({away, slot.group});
        if (found_.size() == 4 * most) limit = keep_best(most);
    }
    if (found_.size() > most) keep_best(most);
    std::ranges::sort(found_);
    std::vector<int32_t> groups;
    for (const Found& f : found_) groups.push_back(f.group);
    return groups;
}

// Returns what a newcomer must be below; those met later have higher numbers, so equals are no better.
int64_t GroupMap::keep_best(std::size_t most) {
    std::ranges::nth_element(found_, found_.begin() + static_cast<std::ptrdiff_t>(most - 1));
    found_.resize(most);
    return found_.back().far;
}

std::vector<int32_t> GroupMap::nearest(int32_t group, std::size_t most) {
    std::vector<int32_t> found =
        best(most + 1, sketches_[group], std::numeric_limits<int64_t>::max(), [](const Slot&, int32_t far) { return far; });
    if (std::erase(found, group) == 0) found.pop_back();
    return found;
}

Neighbours GroupMap::all_nearest(std::size_t most, const Task& task) {
    Neighbours all;
    for (std::size_t g = 0; g < sketches_.size(); ++g) {
        task.check();
        all.push_back(nearest(static_cast<int32_t>(g), most));
    }
    return all;
}

std::vector<int32_t> GroupMap::nearest_open(const std::vector<Entry>& meet, std::size_t most) {
    Sketcher::Sums sums{};
    for (const Entry& e : meet) sketcher_.add(sums, e.node, e.count);
    return best(most, sketcher_.sketch(sums), std::numeric_limits<int64_t>::max(), [](const Slot&, int32_t far) { return far; });
}

void GroupMap::close(int64_t group) {
    const auto slot = std::ranges::lower_bound(slots_, group, {}, &Slot::group);
    if (slot == slots_.end() || slot->group != group || !slot->open) return;
    slot->open = false;
    if (4 * ++closed_ > slots_.size()) tidy();
}

void GroupMap::tidy() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < slots_.size(); ++i)
        if (slots_[i].open) slots_[kept] = slots_[i], sketches_[kept++] = sketches_[i];
    slots_.resize(kept), sketches_.resize(kept);
    closed_ = 0;
}

// With the record a group of s keeps (s + 1) times what they share instead of s times its meet. Twice what is lost by that, in sketch
// steps, is how far it is.
std::vector<int32_t> GroupMap::best_targets(int64_t record, std::size_t most, int64_t least) {
    const Sketch sketch = sketcher_.sketch(sketcher_.sums(data_.counts, record));
    const int64_t own = weight_of(sketch);
    return best(most, sketch, -2 * sketcher_.steps(least), [&](const Slot& s, int32_t distance) {
        return (s.size + 1) * (distance - own) + static_cast<int64_t>(s.size - 1) * s.weight;
    });
}

}  // namespace shoal
