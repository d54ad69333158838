#include "itemsets/rare_pairs_hit.hpp"

#include <memory>
#include <numeric>

#include "base/parallel.hpp"
#include "itemsets/eliminate.hpp"
#include "itemsets/restore.hpp"

namespace shoal {

namespace {

constexpr int64_t most_pair_bytes = int64_t{16} << 30;

// Counts with how many people an item shares each other item; one for each thread.
class SharedCounter {
public:
    SharedCounter(const Lists& rows, const Lists& columns, std::span<const int64_t> owners, int64_t items)
        : rows_(rows), columns_(columns), owners_(owners), people_(items, 0), last_(owners.empty() ? 0 : items, -1) {}

    // Calls body(other) for every other item that fewer than k people share with this one.
    template <class Body>
    void for_each_rare(int32_t item, int64_t k, Body&& body) {
        present_.clear();
        for (int32_t record : columns_[item]) owners_.empty() ? count_all(record) : count_new(record);
        for (int32_t other : present_) {
            if (other != item && people_[other] < k) body(other);
            people_[other] = 0;
        }
    }

private:
    void count_all(int32_t record) {
        for (int32_t other : rows_[record])
            if (people_[other]++ == 0) present_.push_back(other);
    }

    void count_new(int32_t record) {
        for (int32_t other : rows_[record]) {
            if (people_[other] == 0)
                present_.push_back(other);
            else if (last_[other] == owners_[record])
                continue;
            ++people_[other];
            last_[other] = owners_[record];
        }
    }

    const Lists& rows_;
    const Lists& columns_;
    std::span<const int64_t> owners_;
    std::vector<int32_t> people_, present_;  // people_ is zero between two items
    std::vector<int64_t> last_;
};

int64_t people_behind(std::span<const int32_t> records, std::span<const int64_t> owners) {
    if (owners.empty()) return static_cast<int64_t>(records.size());
    int64_t people = 0;
    for (std::size_t i = 0; i < records.size(); ++i) people += i == 0 || owners[records[i - 1]] != owners[records[i]];
    return people;
}

Lists copied(const Rows& rows, const std::vector<char>& without) {
    Lists out;
    for (int64_t i = 0; i < rows.size(); ++i) {
        for (int32_t id : rows.row_ids(i))
            if (without.empty() || !without[id]) out.values.push_back(id);
        out.close();
    }
    return out;
}

}  // namespace

PairedMoles rare_pairs(const Rows& rows, std::span<const int64_t> owners, int64_t items, int64_t k, int64_t most, int threads, Task& task) {
    Lists columns = transpose(copied(rows, {}), items);
    std::vector<char> rare(items, 0);
    std::vector<int64_t> length(items, 0);
    for (int64_t item = 0; item < items; ++item) {
        const int64_t people = people_behind(columns[item], owners);
        rare[item] = people > 0 && people < k;
        length[item] = rare[item];
    }
    const int64_t alone = std::accumulate(length.begin(), length.end(), int64_t{0});
    const Lists others = copied(rows, rare);
    columns = transpose(others, items);
    std::vector<std::unique_ptr<SharedCounter>> counters(std::max(1, threads));
    const auto for_each_item = [&](auto&& body) {
        if (most < 2) return;
        parallel_blocks(items, 16, threads, task, [&](int64_t begin, int64_t end, int worker) {
            if (!counters[worker]) counters[worker] = std::make_unique<SharedCounter>(others, columns, owners, items);
            for (auto item = static_cast<int32_t>(begin); item < end; ++item) body(item, *counters[worker]);
        });
    };
    task.begin(2 * items);
    for_each_item([&](int32_t item, SharedCounter& counter) { counter.for_each_rare(item, k, [&](int32_t) { ++length[item]; }); });
    Lists found;
    for (int64_t item = 0; item < items; ++item) found.start.push_back(found.start.back() + length[item]);
    if (found.start.back() > most_pair_bytes / static_cast<int64_t>(sizeof(int32_t))) throw OutOfPatience("memory");
    found.values.resize(found.start.back());
    for_each_item([&](int32_t item, SharedCounter& counter) {
        int64_t at = found.start[item];
        counter.for_each_rare(item, k, [&](int32_t other) { found.values[at++] = other; });
    });
    for (int32_t item = 0; item < items; ++item)
        if (rare[item]) found.values[found.start[item]] = item;
    const int64_t pairs = (found.start.back() - alone) / 2;
    return {std::move(found), alone + pairs};
}

std::vector<int64_t> hit_pairs(const PairedMoles& moles, std::span<const int64_t> loss, Task& task) {
    const auto total = [&](const std::vector<int64_t>& items) {
        return std::accumulate(items.begin(), items.end(), int64_t{0}, [&](int64_t sum, int64_t item) { return sum + loss[item]; });
    };
    std::vector<int64_t> best;
    for (const MoleScore score : {MoleScore::per_loss, MoleScore::number, MoleScore::least_loss}) {
        std::vector<int64_t> items = eliminate(moles, loss, score, task).items;
        if (score == MoleScore::per_loss || total(items) < total(best)) best = std::move(items);
    }
    std::vector<int64_t> every;
    for (std::size_t item = 0; item < loss.size(); ++item)
        if (moles.length(static_cast<int32_t>(item)) > 0) every.push_back(static_cast<int64_t>(item));
    best = improve_hitting(moles, loss, best, task);
    std::vector<int64_t> other = improve_hitting(moles, loss, every, task);
    return total(other) < total(best) ? other : best;
}

}  // namespace shoal
