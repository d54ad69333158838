// Local search on a hitting set: items are put back, and one exchanged for several, wherever that loses less.
#pragma once

#include <numeric>

#include "itemsets/mole_lists.hpp"

namespace shoal {

inline constexpr int64_t kVisitsPerEntry = 16;  // moles looked at, for each item of each mole
inline constexpr int64_t kLeastVisits = 1 << 16;

template <class SomeMoles>
class Restoring {
public:
    Restoring(const SomeMoles& moles, std::span<const int64_t> loss, Task& task)
        : moles_(moles),
          loss_(loss),
          task_(task),
          hits_(moles.no_hits()),
          sole_(loss.size(), 0),
          freed_(loss.size(), 0),
          gone_(loss.size(), 0),
          forced_(loss.size(), 0),
          visits_left_(kLeastVisits + kVisitsPerEntry * moles.entries()) {
        for (int32_t item = 0; item < static_cast<int32_t>(loss.size()); ++item) forced_[item] = moles.alone(item);
    }

    std::vector<int64_t> run(std::span<const int64_t> items) {
        for (int64_t item : items) {
            task_.check();
            if (!gone_[item]) suppress(static_cast<int32_t>(item));
        }
        const std::vector<int32_t> order = by_worth();
        put_back(order);
        while (pass(order)) {}
        put_back(order);
        std::vector<int64_t> out;
        for (std::size_t item = 0; item < gone_.size(); ++item)
            if (gone_[item]) out.push_back(static_cast<int64_t>(item));
        return out;
    }

private:
    // Items of moles that may be put back: most loss per mole first, then the lower number.
    std::vector<int32_t> by_worth() const {
        std::vector<int32_t> order;
        for (int32_t item = 0; item < static_cast<int32_t>(gone_.size()); ++item)
            if (!forced_[item] && (gone_[item] || moles_.length(item) > 0)) order.push_back(item);
        std::ranges::stable_sort(order, [&](int32_t a, int32_t b) {
            return static_cast<Wide>(loss_[a]) * moles_.length(b) > static_cast<Wide>(loss_[b]) * moles_.length(a);
        });
        return order;
    }

    void suppress(int32_t item) {
        for (const int32_t& m : moles_.holding(item)) {
            const int32_t hits = hits_.of(item, m, gone_);
            if (hits == 0) ++sole_[item];
            if (hits == 1) --sole_[moles_.sole_hitter(item, m, gone_)];
            hits_.add(m, 1);
        }
        gone_[item] = 1;
        visits_left_ -= moles_.length(item);
    }

    void restore(int32_t item) {
        gone_[item] = 0;
        for (const int32_t& m : moles_.holding(item)) {
            hits_.add(m, -1);
            if (hits_.of(item, m, gone_) == 1) ++sole_[moles_.sole_hitter(item, m, gone_)];
        }
        visits_left_ -= moles_.length(item);
    }

    // Puts back what no mole needs. Putting one back only makes others needed, so one time through is enough. Returns what that is worth.
    int64_t put_back(const std::vector<int32_t>& items, std::vector<int32_t>* restored = nullptr) {
        int64_t worth = 0;
        for (int32_t item : items) {
            if (!gone_[item] || sole_[item] > 0) continue;
            task_.check();
            restore(item);
            worth += loss_[item];
            if (restored) restored->push_back(item);
        }
        return worth;
    }

    bool pass(const std::vector<int32_t>& order) {
        bool better = false;
        for (int32_t item : order) {
            if (visits_left_ < 0) return false;
            task_.check();
            if (gone_[item] ? bring_in(item) : take_out(item)) better = true;
        }
        return better;
    }

    // Puts an item back and suppresses, in every mole that only it hit, the item that loses least.
    bool bring_in(int32_t item) {
        out_.clear();
        int64_t cost = 0;
        visits_left_ -= moles_.length(item);
        for (const int32_t& m : moles_.holding(item)) {
            if (hits_.of(item, m, gone_) != 1) continue;
            int32_t cheapest = -1;
            bool covered = false;
            for (int32_t other : moles_.members(m)) {
                if (other == item) continue;
                covered = covered || (SomeMoles::overlapping && std::ranges::find(out_, other) != out_.end());
                if (cheapest < 0 || loss_[other] < loss_[cheapest]) cheapest = other;
            }
            if (covered) continue;
            out_.push_back(cheapest);
            cost += loss_[cheapest];
            if (cost >= 2 * loss_[item]) return false;  // what is put back besides seldom makes up for more
        }
        return exchange({&item, 1}, out_);
    }

    // Suppresses an item and puts back what only its moles needed.
    bool take_out(int32_t item) {
        visits_left_ -= moles_.length(item);
        std::vector<int32_t> touched;
        for (const int32_t& m : moles_.holding(item)) {
            if (hits_.of(item, m, gone_) != 1) continue;
            const int32_t hitter = moles_.sole_hitter(item, m, gone_);
            if (freed_[hitter]++ == 0) touched.push_back(hitter);
        }
        int64_t most = 0;
        for (int32_t hitter : touched) {
            if (freed_[hitter] == sole_[hitter]) most += loss_[hitter];
            freed_[hitter] = 0;
        }
        const int32_t out[] = {item};
        return most > loss_[item] && exchange({}, out);
    }

    // Suppresses `out`, puts back `in` and whatever else is not needed then; undone unless less is lost.
    bool exchange(std::span<const int32_t> in, std::span<const int32_t> out) {
        int64_t gain = 0;
        std::vector<int32_t> candidates(in.begin(), in.end()), restored;
        const std::vector<int32_t> suppressed(out.begin(), out.end());
        for (int32_t item : suppressed) {
            for (const int32_t& m : moles_.holding(item))
                if (hits_.of(item, m, gone_) == 1)
                    if (const int32_t hitter = moles_.sole_hitter(item, m, gone_); !forced_[hitter] && freed_[hitter]++ == 0) candidates.push_back(hitter);
            suppress(item);
            gain -= loss_[item];
        }
        for (int32_t item : candidates) freed_[item] = 0;
        std::sort(candidates.begin() + static_cast<int64_t>(in.size()), candidates.end(),
                  [&](int32_t a, int32_t b) { return std::pair(-loss_[a], a) < std::pair(-loss_[b], b); });
        gain += put_back(candidates, &restored);
        if (gain > 0) return true;
        for (int32_t item : restored) suppress(item);
        for (int32_t item : suppressed) restore(item);
        return false;
    }

    const SomeMoles& moles_;
    std::span<const int64_t> loss_;
    Task& task_;
    typename SomeMoles::Hits hits_;      // suppressed items of each mole
    std::vector<int64_t> sole_, freed_;  // moles that only this item hits; those of them that an exchange would hit otherwise
    std::vector<char> gone_, forced_;    // suppressed; alone in a mole
    std::vector<int32_t> out_;
    int64_t visits_left_;
};

// From items that hit every mole to items that hit every mole and lose no more, in rising order. None of them can be left out alone.
// A step exchanges one item for others: it is put back and one item is suppressed in every mole that only it hit, or it is suppressed and
// those are put back that are no longer needed. The number of steps is limited by the size of the moles, not by time.
template <class SomeMoles>
std::vector<int64_t> improve_hitting(const SomeMoles& moles, std::span<const int64_t> loss, std::span<const int64_t> items, Task& task) {
    return Restoring<SomeMoles>(moles, loss, task).run(items);
}

}  // namespace shoal
