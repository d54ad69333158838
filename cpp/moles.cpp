#include "moles.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "extender.hpp"
#include "parallel.hpp"

namespace shoal {

namespace {

constexpr int64_t members_a_block = 4, classes_a_block = 32;
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

Moles in_order(Extract&& found) {
    const auto n = static_cast<std::size_t>(found.moles.size());
    std::vector<int64_t> order(n);
    std::iota(order.begin(), order.end(), int64_t{0});
    std::ranges::sort(order, [&](int64_t a, int64_t b) {
        const auto x = found.moles[a], y = found.moles[b];
        return x.size() != y.size() ? x.size() < y.size() : std::ranges::lexicographical_compare(x, y);
    });
    Moles out;
    out.fewest = found.fewest;
    out.greatest = found.greatest;
    out.counted = found.counted;
    for (int64_t m : order) {
        const auto set = found.moles[m];
        out.sets.values.insert(out.sets.values.end(), set.begin(), set.end());
        out.sets.close();
        out.people.push_back(found.people[m]);
        out.hidden.push_back(found.breaches[m].item);
        out.holders.push_back(found.breaches[m].holders);
        out.cohort.push_back(found.breaches[m].cohort);
    }
    return out;
}

// All sets of one size more than the deepest level's; the extendible ones become the next level if `keep` says they are needed.
void grow(Lattice& lattice, const Ground& ground, bool keep, Extract& found, int threads, Task& task) {
    const int64_t size = lattice.depth();
    const bool by_member = size == 1;  // the first level is one class only: its members are the work to share
    const int64_t units = by_member ? lattice.deepest().size() : lattice.level(size - 1).size();
    const int64_t block = by_member ? members_a_block : classes_a_block;
    Extract fresh;
    fresh.greatest = found.greatest;  // what is already known spares counting that could not exceed it
    std::vector<Extract> parts((units + block - 1) / block, fresh);
    std::vector<std::unique_ptr<Extender>> workers(std::max(1, threads));
    task.begin(units);
    parallel_blocks(units, block, threads, task, [&](int64_t begin, int64_t end, int worker) {
        if (!workers[worker]) workers[worker] = std::make_unique<Extender>(ground, lattice, keep);
        Extract& part = parts[begin / block];
        for (int64_t unit = begin; unit < end; ++unit) {
            task.check();
            if (by_member)
                workers[worker]->extend_item(unit, part);
            else
                workers[worker]->extend_class(unit, part);
        }
    });
    Level next;
    std::vector<int64_t> children;
    for (Extract& part : parts) {
        next.item.insert(next.item.end(), part.level.item.begin(), part.level.item.end());
        next.bound.insert(next.bound.end(), part.level.bound.begin(), part.level.bound.end());
        children.insert(children.end(), part.children.begin(), part.children.end());
        found.take(std::move(part));
    }
    lattice.grow(std::move(next), children);
}

void read_whole(Ground& ground, std::span<const int32_t> everyone, std::span<const int32_t> items) {
    ground.whole.emplace(ground.data, ground.ranked, items.size());
    ground.whole->read(everyone, items);
    ground.whole->prepare_hidden();
}

}  // namespace

Moles minimal_moles(const Transactions& data, int64_t items, const MoleQuestion& ask, int threads, Task& task) {
    Extract found;
    if (data.size() == 0) return in_order(std::move(found));
    std::vector<int32_t> everyone(data.size());
    std::iota(everyone.begin(), everyone.end(), 0);
    const int64_t people = data.people(everyone);
    if (!found.admits({}, people, BreachCounter(data).worst(everyone, people), ask)) return in_order(std::move(found));
    Start start = count_items(data, items, ask, found, threads, task);
    Ground ground{data, ask, start.ranked, transpose(start.ranked, start.level.size()), start.items, {}};
    if (ground.dense(start.level.size()) && start.level.size() * data.size() / 8 <= most_whole_bytes)
        read_whole(ground, everyone, start.level.item);
    Lattice lattice;
    const int64_t n_items[] = {start.level.size()};
    lattice.grow(std::move(start.level), n_items);
    while (lattice.depth() < ask.p && lattice.deepest().size() > 0) {
        const bool keep = lattice.depth() + 1 < ask.p;
        grow(lattice, ground, keep, found, threads, task);
        if (!keep) break;
    }
    return in_order(std::move(found));
}

}  // namespace shoal
