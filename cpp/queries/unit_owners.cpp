#include "queries/unit_owners.hpp"

#include <algorithm>

namespace shoal {

namespace {

constexpr int32_t kNobody = -1;
constexpr int64_t kNoEntry = -1;
constexpr int64_t kTogether = 64;  // rows whose memory is fetched together
constexpr int64_t kRowsBetweenChecks = 1 << 16;

// Calls `meet(owner, unit)` for every unit of every query of each owner. Whoever came last to a query is noted there, so that each query of an
// owner counts once.
template <class Meet>
void each_unit(const QueryRows& rows, Task& task, Meet&& meet) {
    std::vector<int32_t> last(rows.starts.size() - 1, kNobody);
    const auto n = static_cast<int64_t>(rows.query.size());
    task.begin(n);
    for (int64_t begin = 0; begin < n; begin += kTogether) {
        if (begin % kRowsBetweenChecks == 0) task.check();
        const int64_t end = std::min(begin + kTogether, n);
        for (int64_t row = begin; row < end; ++row) {
            __builtin_prefetch(&last[rows.query[row]]);
            __builtin_prefetch(&rows.starts[rows.query[row]]);
        }
        for (int64_t row = begin; row < end; ++row) __builtin_prefetch(rows.units.data() + rows.starts[rows.query[row]]);
        for (int64_t row = begin; row < end; ++row) {
            const auto owner = static_cast<int32_t>(rows.owner[row]);
            const int32_t query = rows.query[row];
            if (last[query] == owner) continue;
            last[query] = owner;
            for (int64_t at = rows.starts[query]; at < rows.starts[query + 1]; ++at) meet(owner, rows.units[at]);
        }
    }
}

// The owners of units as they come; of a unit with few so far each one is listed, linked to the one before.
class Met {
public:
    Met(int64_t n_units, int64_t few) : few_(few), units_(n_units) {}

    void add(int32_t owner, int32_t unit) {
        Unit& at = units_[unit];
        if (at.last == owner) return;
        at.last = owner;
        if (++at.count >= few_) return;
        listed_.push_back({at.entry, owner});
        at.entry = static_cast<int64_t>(listed_.size()) - 1;
    }

    UnitOwners result() const {
        UnitOwners out{std::vector<int64_t>(units_.size()), std::vector<int64_t>(units_.size() + 1, 0), {}};
        for (std::size_t unit = 0; unit < units_.size(); ++unit) {
            out.count[unit] = units_[unit].count;
            out.starts[unit + 1] = out.starts[unit] + (units_[unit].count < few_ ? units_[unit].count : 0);
        }
        out.owners.resize(out.starts.back());
        for (std::size_t unit = 0; unit < units_.size(); ++unit)
            for (int64_t at = units_[unit].entry, place = out.starts[unit + 1]; place > out.starts[unit]; at = listed_[at].before)
                out.owners[--place] = listed_[at].owner;
        return out;
    }

private:
    struct Unit {
        int32_t last = kNobody, count = 0;
        int64_t entry = kNoEntry;
    };
    struct Entry {
        int64_t before;
        int32_t owner;
    };
    int64_t few_;
    std::vector<Unit> units_;
    std::vector<Entry> listed_;
};

}  // namespace

UnitOwners unit_owners(const QueryRows& rows, int64_t n_units, int64_t few, Task& task) {
    Met met(n_units, few);
    each_unit(rows, task, [&](int32_t owner, int32_t unit) { met.add(owner, unit); });
    return met.result();
}

std::vector<uint8_t> owner_classes(std::span<const int32_t> query, std::span<const int64_t> owner, std::span<const uint8_t> class_of,
                                   int64_t n_classes, int64_t n_owners, Task& task) {
    std::vector<uint8_t> has(n_owners * n_classes, 0);
    task.begin(static_cast<int64_t>(query.size()));
    for (std::size_t row = 0; row < query.size(); ++row) {
        if (row % kRowsBetweenChecks == 0) task.check();
        has[owner[row] * n_classes + class_of[query[row]]] = 1;
    }
    return has;
}

}  // namespace shoal
