#include "queries/unit_owners.hpp"

#include <algorithm>

#include "base/rows.hpp"

namespace shoal {

namespace {

constexpr int32_t kNobody = -1;
constexpr int64_t kNoEntry = -1;
constexpr int64_t kTogether = 64;  // rows whose memory is fetched together
constexpr int64_t kRowsBetweenChecks = 1 << 16;

// Rows one owner after the other, each query of an owner once: whoever came last to a query is noted there.
class OwnersInTurn {
public:
    explicit OwnersInTurn(const QueryRows& rows) : rows_(rows), last_(rows.starts.size() - 1, kNobody) {
        if (!std::ranges::is_sorted(rows.owner)) order_ = by_owner(rows.owner);
    }

    // Calls `meet(owner, unit)` for every unit of every query of each owner.
    template <class Meet>
    void each(Task& task, Meet&& meet) {
        const auto n = static_cast<int64_t>(rows_.query.size());
        task.begin(n);
        for (int64_t begin = 0; begin < n; begin += kTogether) {
            if (begin % kRowsBetweenChecks == 0) task.check();
            const int64_t end = std::min(begin + kTogether, n);
            fetch(begin, end);
            for (int64_t i = begin; i < end; ++i) {
                const auto owner = static_cast<int32_t>(rows_.owner[row(i)]);
                const int32_t query = rows_.query[row(i)];
                if (last_[query] == owner) continue;
                last_[query] = owner;
                for (int64_t at = rows_.starts[query]; at < rows_.starts[query + 1]; ++at) meet(owner, rows_.units[at]);
            }
        }
    }

private:
    int64_t row(int64_t i) const { return order_.empty() ? i : order_[i]; }

    void fetch(int64_t begin, int64_t end) const {
        for (int64_t i = begin; i < end; ++i) {
            const int32_t query = rows_.query[row(i)];
            __builtin_prefetch(&last_[query]);
            __builtin_prefetch(&rows_.starts[query]);
        }
        for (int64_t i = begin; i < end; ++i) __builtin_prefetch(rows_.units.data() + rows_.starts[rows_.query[row(i)]]);
    }

    const QueryRows& rows_;
    std::vector<int32_t> last_;
    std::vector<int64_t> order_;  // empty where the rows lie one owner after the other already
};

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
    OwnersInTurn(rows).each(task, [&](int32_t owner, int32_t unit) { met.add(owner, unit); });
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
