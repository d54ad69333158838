#include "itemsets/restore.hpp"

#include <algorithm>
#include <numeric>

namespace shoal {

namespace {

constexpr int64_t kVisitsPerEntry = 16;  // moles looked at, for each item of each mole
constexpr int64_t kLeastVisits = 1 << 16;

class Restoring {
public:
    Restoring(const Lists& moles, std::span<const int64_t> loss, Task& task)
        : moles_(moles),
          holding_(transpose(moles, static_cast<int64_t>(loss.size()))),
          loss_(loss),
          task_(task),
          hits_(moles.size(), 0),
          sole_(loss.size(), 0),
          freed_(loss.size(), 0),
          gone_(loss.size(), 0),
          forced_(loss.size(), 0),
          visits_left_(kLeastVisits + kVisitsPerEntry * static_cast<int64_t>(moles.values.size())) {
        for (int64_t m = 0; m < moles.size(); ++m)
            if (moles.length(m) == 1) forced_[moles[m].front()] = 1;
    }

    std::vector<int64_t> run(std::span<const int64_t> items) {
        for (int64_t item : items)
            if (!gone_[item]) suppress(static_cast<int32_t>(item));
        const std::vector<int32_t> order = by_worth();
        put_back(order);
        while (pass(order)) task_.check();
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
            if (!forced_[item] && (gone_[item] || holding_.length(item) > 0)) order.push_back(item);
        std::ranges::stable_sort(order, [&](int32_t a, int32_t b) {
            return static_cast<Wide>(loss_[a]) * holding_.length(b) > static_cast<Wide>(loss_[b]) * holding_.length(a);
        });
        return order;
    }

    // The one suppressed item of a mole that has one.
    int32_t sole_hitter(int32_t mole) const {
        return *std::ranges::find_if(moles_[mole], [&](int32_t item) { return gone_[item] != 0; });
    }

    void suppress(int32_t item) {
        for (int32_t m : holding_[item]) {
            if (hits_[m] == 0) ++sole_[item];
            if (hits_[m] == 1) --sole_[sole_hitter(m)];
            ++hits_[m];
        }
        gone_[item] = 1;
        visits_left_ -= holding_.length(item);
    }

    void restore(int32_t item) {
        gone_[item] = 0;
        for (int32_t m : holding_[item])
            if (--hits_[m] == 1) ++sole_[sole_hitter(m)];
        visits_left_ -= holding_.length(item);
    }

    // Puts back what no mole needs. Putting one back only makes others needed, so one time through is enough. Returns what that is worth.
    int64_t put_back(const std::vector<int32_t>& items, std::vector<int32_t>* restored = nullptr) {
        int64_t worth = 0;
        for (int32_t item : items) {
            if (!gone_[item] || sole_[item] > 0) continue;
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
            if (gone_[item] ? bring_in(item) : take_out(item)) better = true;
        }
        return better;
    }

    // Puts an item back and suppresses, in every mole that only it hit, the item that loses least.
    bool bring_in(int32_t item) {
        out_.clear();
        int64_t cost = 0;
        visits_left_ -= holding_.length(item);
        for (int32_t m : holding_[item]) {
            if (hits_[m] != 1) continue;
            int32_t cheapest = -1;
            bool covered = false;
            for (int32_t other : moles_[m]) {
                if (other == item) continue;
                covered = covered || std::ranges::find(out_, other) != out_.end();
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
        visits_left_ -= holding_.length(item);
        std::vector<int32_t> touched;
        for (int32_t m : holding_[item]) {
            if (hits_[m] != 1) continue;
            const int32_t hitter = sole_hitter(m);
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
            for (int32_t m : holding_[item])
                if (hits_[m] == 1)
                    if (const int32_t hitter = sole_hitter(m); !forced_[hitter] && freed_[hitter]++ == 0) candidates.push_back(hitter);
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

    const Lists& moles_;
    const Lists holding_;
    std::span<const int64_t> loss_;
    Task& task_;
    std::vector<int32_t> hits_;          // suppressed items of each mole
    std::vector<int64_t> sole_, freed_;  // moles that only this item hits; those of them that an exchange would hit otherwise
    std::vector<char> gone_, forced_;    // suppressed; alone in a mole
    std::vector<int32_t> out_;
    int64_t visits_left_;
};

}  // namespace

std::vector<int64_t> improve_hitting(const Lists& moles, std::span<const int64_t> loss, std::span<const int64_t> items, Task& task) {
    return Restoring(moles, loss, task).run(items);
}

}  // namespace shoal
