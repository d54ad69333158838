#include "itemsets/itemsets.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/parallel.hpp"
#include "base/per_machine.hpp"

namespace shoal {

SHOAL_LOOP int64_t count_and_loop(const uint64_t* a, const uint64_t* b, std::size_t words) {
    int64_t total = 0;
    for (std::size_t i = 0; i < words; ++i) total += std::popcount(a[i] & b[i]);
    return total;
}
SHOAL_PER_MACHINE(count_and, (const uint64_t* a, const uint64_t* b, std::size_t words), a, b, words)

SHOAL_LOOP int64_t and_into_loop(uint64_t* out, const uint64_t* a, const uint64_t* b, std::size_t words) {
    int64_t total = 0;
    for (std::size_t i = 0; i < words; ++i) {
        out[i] = a[i] & b[i];
        total += std::popcount(out[i]);
    }
    return total;
}
SHOAL_PER_MACHINE(and_into, (uint64_t * out, const uint64_t* a, const uint64_t* b, std::size_t words), out, a, b, words)

Lists transpose(const Lists& lists, int64_t columns) {
    Lists out;
    out.start.assign(columns + 1, 0);
    for (int32_t v : lists.values) ++out.start[v + 1];
    std::partial_sum(out.start.begin(), out.start.end(), out.start.begin());
    out.values.resize(lists.values.size());
    std::vector<int64_t> next(out.start.begin(), out.start.end() - 1);
    for (int64_t i = 0; i < lists.size(); ++i)
        for (int32_t v : lists[i]) out.values[next[v]++] = static_cast<int32_t>(i);
    return out;
}

void intersect(std::span<const int32_t> a, std::span<const int32_t> b, std::vector<int32_t>& out) {
    out.clear();
    if (a.size() > b.size()) std::swap(a, b);
    if (a.size() * 8 >= b.size()) {
        std::ranges::set_intersection(a, b, std::back_inserter(out));
        return;
    }
    auto from = b.begin();
    for (int32_t v : a) {
        std::ptrdiff_t step = 1;
        while (step < b.end() - from && from[step] < v) step *= 2;
        from = std::lower_bound(from, from + std::min(step + 1, b.end() - from), v);
        if (from == b.end()) return;
        if (*from == v) out.push_back(v);
    }
}

int64_t Transactions::people(std::span<const int32_t> tids) const {
    if (owners.empty()) return static_cast<int64_t>(tids.size());
    int64_t runs = 0;
    for (std::size_t i = 0; i < tids.size(); ++i) runs += i == 0 || owners[tids[i]] != owners[tids[i - 1]];
    return runs;
}

Transactions split_by_role(const Rows& rows, std::span<const uint8_t> role, std::span<const int64_t> owners) {
    Transactions out;
    out.owners = owners;
    std::vector<int32_t> place(role.size(), -1);
    for (std::size_t item = 0; item < role.size(); ++item) {
        if (role[item] != hidden) continue;
        place[item] = static_cast<int32_t>(out.hidden_items.size());
        out.hidden_items.push_back(static_cast<int32_t>(item));
    }
    // Every item is written to both halves and the next one overwrites it where it does not belong: no branch to mispredict.
    const std::size_t n = rows.ids.size();
    out.open_rows.values.resize(n + 1);
    out.hidden_rows.values.resize(n + 1);
    std::size_t opened = 0, hid = 0;
    for (int64_t i = 0; i < rows.size(); ++i) {
        for (int32_t item : rows.row_ids(i)) {
            out.open_rows.values[opened] = item;
            out.hidden_rows.values[hid] = place[item];
            opened += role[item] == open;
            hid += role[item] == hidden;
        }
        out.open_rows.start.push_back(static_cast<int64_t>(opened));
        out.hidden_rows.start.push_back(static_cast<int64_t>(hid));
    }
    out.open_rows.values.resize(opened);
    out.hidden_rows.values.resize(hid);
    return out;
}

BreachCounter::BreachCounter(const Transactions& data)
    : data_(data),
      records_(data.hidden_items.size()),
      people_(data.owners_repeat() ? data.hidden_items.size() : 0),
      last_owner_(people_.size()) {}

Breach BreachCounter::worst(std::span<const int32_t> tids, int64_t people) {
    if (data_.owners_repeat()) return worst_by_people(tids, people);
    const int64_t* start = data_.hidden_rows.start.data();
    const int32_t* values = data_.hidden_rows.values.data();
    int32_t* counts = records_.data();
    touched_.clear();
    constexpr std::size_t ahead = 12;  // rows lie scattered: fetch them before they are wanted
    for (std::size_t i = 0; i < tids.size(); ++i) {
        if (i + ahead < tids.size()) __builtin_prefetch(values + start[tids[i + ahead]]);
        for (int64_t j = start[tids[i]]; j < start[tids[i] + 1]; ++j)
            if (counts[values[j]]++ == 0) touched_.push_back(values[j]);
    }
    const int32_t most = most_frequent(records_);
    const Breach worst = most < 0 ? Breach{} : Breach{data_.hidden_items[most], records_[most], static_cast<int64_t>(tids.size())};
    for (int32_t e : touched_) counts[e] = 0;
    return worst;
}

// A person holds a private item if one of their records in the cohort does. Both ways of counting must stay below the limit.
Breach BreachCounter::worst_by_people(std::span<const int32_t> tids, int64_t people) {
    touched_.clear();
    for (int32_t t : tids) {
        for (int32_t e : data_.hidden_rows[t]) {
            if (records_[e]++ == 0) {
                touched_.push_back(e);
                people_[e] = 0;
            }
            if (people_[e] == 0 || last_owner_[e] != data_.owners[t]) ++people_[e];
            last_owner_[e] = data_.owners[t];
        }
    }
    if (touched_.empty()) return {};
    const int32_t by_records = most_frequent(records_), by_people = most_frequent(people_);
    const Breach first{data_.hidden_items[by_records], records_[by_records], static_cast<int64_t>(tids.size())};
    const Breach second{data_.hidden_items[by_people], people_[by_people], people};
    for (int32_t e : touched_) records_[e] = 0;
    return second.exceeds(first) ? second : first;
}

// Of the items touched, the one with the largest count, the lowest of them where several have it; -1 where none was touched.
int32_t BreachCounter::most_frequent(const std::vector<int32_t>& counts) const {
    int32_t best = -1;
    for (int32_t e : touched_)
        if (best < 0 || counts[e] > counts[best] || (counts[e] == counts[best] && e < best)) best = e;
    return best;
}

Supports itemset_supports(const Transactions& data, const Lists& itemsets, int64_t items, int threads, Task& task) {
    const int64_t n = itemsets.size();
    const Lists columns = transpose(data.open_rows, items);
    std::vector<int32_t> everyone(data.size());
    std::iota(everyone.begin(), everyone.end(), 0);
    Supports out;
    for (auto* column : {&out.people, &out.records, &out.hidden, &out.holders, &out.cohort}) column->assign(n, 0);
    task.begin(n);
    parallel_blocks(n, 64, threads, task, [&](int64_t begin, int64_t end, int) {
        BreachCounter counter(data);
        std::vector<std::vector<int32_t>> stack;  // stack[d]: the tids that hold the first d + 1 items of the set before
        std::span<const int32_t> before;
        for (int64_t i = begin; i < end; ++i) {
            const auto set = itemsets[i];
            std::size_t shared = 0;
            while (shared < std::min(set.size(), before.size()) && set[shared] == before[shared]) ++shared;
            if (stack.size() < set.size()) stack.resize(set.size());
            for (std::size_t d = shared; d < set.size(); ++d)
                intersect(d == 0 ? std::span<const int32_t>(everyone) : std::span<const int32_t>(stack[d - 1]), columns[set[d]], stack[d]);
            before = set;
            const auto tids = set.empty() ? std::span<const int32_t>(everyone) : std::span<const int32_t>(stack[set.size() - 1]);
            const Breach worst = counter.worst(tids, out.people[i] = data.people(tids));
            out.records[i] = static_cast<int64_t>(tids.size());
            out.hidden[i] = worst.item;
            out.holders[i] = worst.holders;
            out.cohort[i] = worst.cohort;
        }
    });
    return out;
}

}  // namespace shoal
