#include "group_search/grow.hpp"

#include <limits>
#include <numeric>

#include "lattice/block_copy.hpp"
#include "lattice/sketch.hpp"

namespace shoal {

namespace {

constexpr int64_t kLongest = int64_t{1} << 20;  // lengths in sketch steps, beyond which they no longer matter
constexpr int32_t kTaken = 1 << 30;             // less than nothing is the value of a record that no longer waits: by so much
constexpr int64_t kAtOnce = 1024;               // sketches

// The records of a block that no group has taken yet, side by side with their sketches.
class Pool {
public:
    explicit Pool(const Scored& data) : sketcher_(fitted_sketcher(data.counts, data.weight)) {
        slots_.reserve(data.size()), sketches_.reserve(data.size());
        for (int64_t r = 0; r < data.size(); ++r) {
            sketches_.push_back(sketcher_.sketch(sketcher_.sums(data.counts, r)));
            slots_.push_back({in_steps(data.value(r)), in_steps(data.lengths[r] * data.scale)});
        }
        records_.resize(data.size());
        std::iota(records_.begin(), records_.end(), 0);
        waiting_ = data.size();
    }

    struct Found {
        int64_t looks;  // what joining seems to cost; less is better
        int64_t slot;
        auto operator<=>(const Found&) const = default;
    };

    // The `most` slots that look best for a group of this size whose meet has this sketch.
    void scan(const Sketch& wanted, int64_t size, int64_t most, std::vector<Found>& found) const {
        found.clear();
        int64_t limit = (size + 1) * kTaken;  // what was taken looks no better, whatever waits does
        const auto full = static_cast<std::size_t>(2 * most);
        std::array<int32_t, kAtOnce> far;
        for (std::size_t begin = first_; begin < slots_.size(); begin += kAtOnce) {
            const std::size_t n = std::min<std::size_t>(kAtOnce, slots_.size() - begin);
            distances(wanted, std::span(sketches_).subspan(begin, n), far.data());
            for (std::size_t i = 0; i < n; ++i) {
                const Slot& s = slots_[begin + i];
                const int64_t looks = 2 * int64_t{s.length} + (size + 1) * (far[i] - s.value);
                if (looks >= limit) continue;
                found.push_back({looks, static_cast<int64_t>(begin + i)});
                if (found.size() == full) limit = keep_best(found, most);
            }
        }
        if (static_cast<int64_t>(found.size()) > most) keep_best(found, most);
    }

    int64_t record(int64_t slot) const { return records_[slot]; }
    const Sketch& sketch(int64_t slot) const { return sketches_[slot]; }
    const Sketcher& sketcher() const { return sketcher_; }
    int64_t waiting() const { return waiting_; }
    int64_t first() {
        while (!waits(first_)) ++first_;
        return static_cast<int64_t>(first_);
    }
    int64_t last() {
        while (!waits(slots_.size() - 1)) slots_.pop_back(), sketches_.pop_back(), records_.pop_back();
        return static_cast<int64_t>(slots_.size()) - 1;
    }
    void take(int64_t slot) {
        slots_[slot].value = -kTaken;
        --waiting_;
    }
    // Closes the gaps once a quarter is gone; slot numbers change.
    void tidy() {
        if (4 * waiting_ > 3 * static_cast<int64_t>(slots_.size() - first_)) return;
        std::size_t kept = 0;
        for (std::size_t i = first_; i < slots_.size(); ++i)
            if (waits(i)) slots_[kept] = slots_[i], sketches_[kept] = sketches_[i], records_[kept++] = records_[i];
        slots_.resize(kept), sketches_.resize(kept), records_.resize(kept);
        first_ = 0;
    }
    template <class Visit>
    void each(Visit&& visit) const {
        for (std::size_t i = first_; i < slots_.size(); ++i)
            if (waits(i)) visit(static_cast<int64_t>(i));
    }

private:
    int32_t in_steps(int64_t weight) const { return static_cast<int32_t>(std::min(kLongest, sketcher_.steps(weight))); }

    static int64_t keep_best(std::vector<Found>& found, int64_t most) {
        std::ranges::nth_element(found, found.begin() + (most - 1));
        found.resize(most);
        return found.back().looks;
    }
    // What a scan reads of every record beside its sketch, in steps of the sketch.
    struct Slot {
        int32_t value, length;
    };
    bool waits(std::size_t slot) const { return slots_[slot].value != -kTaken; }

    Sketcher sketcher_;
    std::vector<Slot> slots_;
    std::vector<Sketch> sketches_;
    std::vector<int64_t> records_;
    std::size_t first_ = 0;
    int64_t waiting_ = 0;
};

class Grower {
public:
    // `records` are the numbers that the rows of the block have in the whole.
    Grower(const Scored& data, const GrowOptions& options, std::span<const int64_t> records, const Task& task)
        : data_(data), options_(options), records_(records), task_(task), pool_(data), meet_(data) {}

    GrownBlock run() {
        GrownBlock out;
        while (pool_.waiting() >= data_.k) {
            const Group group = grow(data_.owners_repeat ? pool_.last() : pool_.first());
            if (static_cast<int64_t>(group.size()) < data_.k)  // only where people own several records
                for (int64_t row : group) out.left.push_back(records_[row]);
            else
                out.groups.add(group, records_);
            pool_.tidy();
        }
        pool_.each([&](int64_t slot) { out.left.push_back(records_[pool_.record(slot)]); });
        return out;
    }

private:
    struct Candidate {
        int64_t slot, record, length;
        int64_t value;    // of the meet with it: an upper bound once the group has grown, as meets only shrink
        int64_t checked;  // group size for which the value is exact
    };

    Group grow(int64_t seed) {
        Group group{pool_.record(seed)};
        meet_.open(group[0]);
        pool_.take(seed);
        candidates_.clear();
        look(pool_.sketch(seed), group);
        int64_t next_look = 2;
        while (static_cast<int64_t>(group.size()) < data_.k) {
            task_.check();
            const auto size = static_cast<int64_t>(group.size());
            if (size == next_look) {  // the meet is another than it was
                look(sketch_of_meet(), group);
                next_look *= 2;
            }
            int64_t best = pick(group);
            if (best < 0) look(sketch_of_meet(), group), best = pick(group);
            if (best < 0) look_everywhere(group), best = pick(group);
            if (best < 0) return group;
            meet_.take(candidates_[best].record);
            group.push_back(candidates_[best].record);
            pool_.take(candidates_[best].slot);
            candidates_[best] = candidates_.back();
            candidates_.pop_back();
        }
        return group;
    }

    // The candidate that keeps the group's distortion least. Values of earlier, larger meets are upper bounds, so only those that
    // might win are scored again.
    int64_t pick(const Group& group) {
        const auto size = static_cast<int64_t>(group.size());
        for (;;) {
            int64_t best = -1, least = std::numeric_limits<int64_t>::max();
            for (std::size_t i = 0; i < candidates_.size(); ++i) {
                const Candidate& c = candidates_[i];
                const int64_t cost = c.length * data_.scale - (size + 1) * c.value;
                if (cost > least || (cost == least && c.record > candidates_[best].record)) continue;
                if (data_.holds_owner(group, c.record)) continue;
                least = cost, best = static_cast<int64_t>(i);
            }
            if (best < 0 || candidates_[best].checked == size) return best;
            candidates_[best].value = meet_.with(candidates_[best].record);
            candidates_[best].checked = size;
        }
    }

    void look(const Sketch& wanted, const Group& group) {
        const auto size = static_cast<int64_t>(group.size());
        pool_.scan(wanted, size, std::max(options_.candidates, 2 * size), found_);
        for (const Pool::Found& f : found_)
            if (std::ranges::none_of(candidates_, [&](const Candidate& c) { return c.slot == f.slot; })) consider(f.slot, group);
    }

    // Where the nearest all belong to people already in the group, nobody is too far.
    void look_everywhere(const Group& group) {
        if (!data_.owners_repeat) return;
        candidates_.clear();
        pool_.each([&](int64_t slot) {
            if (!data_.holds_owner(group, pool_.record(slot))) consider(slot, group);
        });
    }

    void consider(int64_t slot, const Group& group) {
        const int64_t record = pool_.record(slot);
        candidates_.push_back({slot, record, data_.lengths[record], meet_.with(record), static_cast<int64_t>(group.size())});
    }

    Sketch sketch_of_meet() const {
        Sketcher::Sums sums{};
        meet_.each([&](int32_t node, int32_t count) { pool_.sketcher().add(sums, node, count); });
        return pool_.sketcher().sketch(sums);
    }

    const Scored& data_;
    const GrowOptions& options_;
    std::span<const int64_t> records_;
    const Task& task_;
    Pool pool_;
    RunningMeet meet_;
    std::vector<Candidate> candidates_;
    std::vector<Pool::Found> found_;
};

}  // namespace

namespace {

// The records by what a group could at most keep of them, as k people touch it; the last are the first seeds. Where people own several
// records most partners are equally good, and those with little to lose should be taken: they come first.
std::vector<int64_t> by_hope(const Scored& data, std::span<const int64_t> records) {
    const BlockCopy block_copy(data, records, data.k);
    const Scored block = block_copy.data();
    std::vector<std::pair<int64_t, int64_t>> hopes;
    for (int64_t r = 0; r < block.size(); ++r) hopes.emplace_back(block.value(r), -r);
    std::ranges::sort(hopes);
    std::vector<int64_t> sorted;
    for (const auto& [hope, r] : hopes) sorted.push_back(records[-r]);
    return sorted;
}

}  // namespace

GrownBlock grow_block(const Scored& data, std::span<const int64_t> given, const GrowOptions& options, Task& task) {
    std::vector<int64_t> sorted;
    if (data.owners_repeat) sorted = by_hope(data, given);
    const std::span<const int64_t> records = data.owners_repeat ? std::span<const int64_t>(sorted) : given;
    const BlockCopy block_copy(data, records, data.k);
    const Scored block = block_copy.data();
    GrownBlock out = Grower(block, options, records, task).run();
    task.step(static_cast<int64_t>(records.size()));
    return out;
}

}  // namespace shoal
