#include "itemsets/moles.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "base/parallel.hpp"
#include "itemsets/extender.hpp"

namespace shoal {

namespace {

constexpr int64_t most_whole_bytes = int64_t{1} << 30;

struct Start {
    Lists ranked;                // public rows, as ranks of the extendible items
    std::vector<int32_t> items;  // the item of each rank: rarest first, so that the sets below a prefix have few records
    Level level;
};

// Every public item is counted; those that are moles are kept aside, the others become ranks.
Start count_items(const Transactions& data, int64_t items, const MoleQuestion& ask, Extract& found, int threads, Task& task) {
    const Lists columns = transpose(data.open_rows, items);
    std::vector<int64_t> people(items), bound(items);
    std::vector<Breach> worst(items);
    task.begin(items);
    parallel_blocks(items, 16, threads, task, [&](int64_t begin, int64_t end, int) {
        BreachCounter counter(data);
        for (int64_t item = begin; item < end; ++item) {
            people[item] = data.people(columns[item]);
            if (people[item] >= ask.k) worst[item] = counter.worst(columns[item], people[item]);
        }
    });
    Start start;
    for (int64_t item = 0; item < items; ++item) {
        if (people[item] == 0) continue;
        const int32_t single[] = {static_cast<int32_t>(item)};
        if (found.admits(single, people[item], worst[item], ask)) start.items.push_back(single[0]);
    }
    std::ranges::stable_sort(start.items, {}, [&](int32_t item) { return columns.length(item); });
    std::vector<int32_t> rank(items, -1);
    for (std::size_t r = 0; r < start.items.size(); ++r) {
        const int32_t item = start.items[r];
        rank[item] = static_cast<int32_t>(r);
        start.level.item.push_back(static_cast<int32_t>(r));
        // People may be fewer than records, and a bound must hold for records.
        start.level.bound.push_back(static_cast<int32_t>(data.owners_repeat() ? columns.length(item) : worst[item].holders));
    }
    for (int64_t i = 0; i < data.size(); ++i) {
        const auto begin = static_cast<int64_t>(start.ranked.values.size());
        for (int32_t item : data.open_rows[i])
            if (rank[item] >= 0) start.ranked.values.push_back(rank[item]);
        std::sort(start.ranked.values.begin() + begin, start.ranked.values.end());
        start.ranked.close();
    }
    return start;
}

Moles finished(Extract&& found) {
    Moles out;
    const auto n = static_cast<std::size_t>(found.moles.size());
    out.sets = std::move(found.moles);
    out.people = std::move(found.people);
    out.hidden.assign(n, -1);
    out.holders.assign(n, 0);
    out.cohort.assign(n, 1);
    for (const auto& [mole, breach] : found.breaches) {
        out.hidden[mole] = breach.item;
        out.holders[mole] = static_cast<int32_t>(breach.holders);
        out.cohort[mole] = static_cast<int32_t>(breach.cohort);
    }
    out.fewest = found.fewest;
    out.greatest = found.greatest;
    out.counted = found.counted;
    return out;
}

// All sets of one size more than the deepest level's; the extendible ones become the next level if `keep` says they are needed.
void grow(SetTree& set_tree, const SearchData& search_data, bool keep, Extract& found, int threads, Task& task) {
    const int64_t units = set_tree.level(1).size();  // all sets that begin with the same item are one worker's, who projects on it once
    Extract fresh;
    fresh.greatest = found.greatest;  // what is already known spares counting that could not exceed it
    std::vector<Extract> parts(units, fresh);
    std::vector<std::unique_ptr<Extender>> workers(std::max(1, threads));
    task.begin(units);
    parallel_blocks(units, 1, threads, task, [&](int64_t begin, int64_t, int worker) {
        if (!workers[worker]) workers[worker] = std::make_unique<Extender>(search_data, set_tree, keep);
        workers[worker]->extend_item(begin, parts[begin], task);
        search_data.keep(parts[begin].level.size() & 0xffff);
    });
    Level next;
    std::vector<int64_t> children;
    for (Extract& part : parts) {
        next.item.insert(next.item.end(), part.level.item.begin(), part.level.item.end());
        next.bound.insert(next.bound.end(), part.level.bound.begin(), part.level.bound.end());
        children.insert(children.end(), part.children.begin(), part.children.end());
        found.take(std::move(part));
    }
    set_tree.grow(std::move(next), children);
}

void read_whole(SearchData& search_data, std::span<const int32_t> everyone, std::span<const int32_t> items) {
    search_data.whole.emplace(search_data.data, search_data.ranked, items.size());
    search_data.whole->read(everyone, items);
    search_data.whole->prepare_hidden();
}

}  // namespace

Moles minimal_moles(const Transactions& data, int64_t items, const MoleQuestion& ask, int threads, Task& task) {
    Extract found;
    if (data.size() == 0) return finished(std::move(found));
    std::vector<int32_t> everyone(data.size());
    std::iota(everyone.begin(), everyone.end(), 0);
    const int64_t people = data.people(everyone);
    if (!found.admits({}, people, BreachCounter(data).worst(everyone, people), ask)) return finished(std::move(found));
    Start start = count_items(data, items, ask, found, threads, task);
    SearchData search_data{data, ask, start.ranked, transpose(start.ranked, start.level.size()), start.items, {}};
    if (search_data.dense(start.level.size()) && start.level.size() * data.size() / 8 <= most_whole_bytes)
        read_whole(search_data, everyone, start.level.item);
    SetTree set_tree;
    const int64_t n_items[] = {start.level.size()};
    set_tree.grow(std::move(start.level), n_items);
    while (set_tree.depth() < ask.p && set_tree.deepest().size() > 0) {
        const bool keep = set_tree.depth() + 1 < ask.p;
        grow(set_tree, search_data, keep, found, threads, task);
        if (!keep) break;
    }
    return finished(std::move(found));
}

}  // namespace shoal
