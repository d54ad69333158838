#include "loss_bound/loss_bound.hpp"

#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>

#include "base/parallel.hpp"
#include "loss_bound/credits.hpp"
#include "loss_bound/distinct.hpp"
#include "loss_bound/nearest.hpp"

namespace shoal {

namespace {

constexpr std::size_t kMostNeighbours = 64;
constexpr int64_t kEndless = std::numeric_limits<int64_t>::max();

// What one record shares with each pair of its neighbours.
class Triples {
public:
    explicit Triples(const Scored& data) : data_(data), dense_(data.nodes()) {}

    void fill(int64_t record, const std::vector<Neighbour>& near) {
        size_ = near.size();
        shared_.assign(size_ * size_, 0);
        for (std::size_t i = 0; i < size_; ++i) {
            set_meet(record, near[i].row);
            for (std::size_t o = i + 1; o < size_; ++o)
                shared_[i * size_ + o] = shared_[o * size_ + i] = dense_.against(data_.counts, near[o].row, data_.weight);
            for (const Entry& e : meet_) dense_[e.node] = 0;
        }
    }
    int64_t operator()(std::size_t i, std::size_t o) const { return shared_[i * size_ + o]; }

private:
    void set_meet(int64_t a, int64_t b) {
        dense_.spread(data_.counts, b);
        meet_.clear();
        for (int64_t j = data_.counts.indptr[a]; j < data_.counts.indptr[a + 1]; ++j)
            if (const int32_t v = data_.counts.ids[j]; dense_[v] > 0) meet_.push_back({v, std::min(data_.counts.counts[j], dense_[v])});
        dense_.clear(data_.counts, b);
        for (const Entry& e : meet_) dense_[e.node] = e.count;
    }

    const Scored& data_;
    Dense dense_;
    std::vector<Entry> meet_;
    std::vector<int64_t> shared_;
    std::size_t size_ = 0;
};

// The partners in a group that tells `value` share that much with the record, and each of them with `others` more of them and the record.
// Whoever does not is taken away, again and again. Returns who remains, as bits.
uint64_t core(const std::vector<Neighbour>& near, const Triples& triples, int64_t value, int64_t others) {
    std::array<uint64_t, kMostNeighbours> with{};
    uint64_t in = 0;
    for (std::size_t i = 0; i < near.size(); ++i) {
        if (near[i].value < value) continue;
        in |= uint64_t{1} << i;
        for (std::size_t o = 0; o < near.size(); ++o)
            if (o != i && triples(i, o) >= value) with[i] |= uint64_t{1} << o;
    }
    for (bool settled = false; !settled;) {
        settled = true;
        for (std::size_t i = 0; i < near.size(); ++i)
            if ((in >> i & 1) != 0 && std::popcount(with[i] & in) < others) in &= ~(uint64_t{1} << i), settled = false;
    }
    return in;
}

// An upper bound on what any group with the record can tell: either somebody outside the neighbours is in it, or its partners are a core.
int64_t ceiling(int64_t record, std::vector<Neighbour> near, int64_t most, int64_t k, Triples& triples) {
    int64_t outside = 0;
    if (static_cast<int64_t>(near.size()) > most) outside = near.back().value, near.pop_back();
    if (static_cast<int64_t>(near.size()) < k - 1) return outside;
    triples.fill(record, near);
    // The largest value with a core, between what needs none and what the (k-1)-th neighbour shares.
    int64_t low = outside, high = near[k - 2].value;
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (std::popcount(core(near, triples, middle, k - 2)) >= k - 1)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

int64_t sum_of_least(std::vector<int64_t>& amounts, int64_t n) {
    if (n == 0) return 0;
    std::ranges::nth_element(amounts, amounts.begin() + (n - 1));
    return std::accumulate(amounts.begin(), amounts.begin() + n, int64_t{0});
}

// Twice the record's fair share of what its group must lose below the ceilings of its members, the least over all groups: each partner
// brings in half of its own shortfall and half of the record's.
int64_t fair_share(int64_t record, const std::vector<Neighbour>& near, const std::vector<int64_t>& ceilings, int64_t k, Triples& triples) {
    const int64_t own = ceilings[record], wanted = k - 1;
    if (static_cast<int64_t>(near.size()) < wanted) return 0;
    triples.fill(record, near);
    const int64_t outside = own - near.back().rank;  // nobody who is not listed brings in less
    std::vector<int64_t> values{-1}, any, inner;
    for (const Neighbour& n : near) values.push_back(n.value);
    std::ranges::sort(values);
    int64_t least = wanted * outside;
    // What the group tells lies between two neighbouring values: partners are chosen by the lower, their shortfall reckoned at the upper.
    for (std::size_t v = 1; v < values.size(); ++v) {
        if (values[v] == values[v - 1]) continue;
        const uint64_t inside = core(near, triples, values[v - 1] + 1, k - 2);
        any.assign(wanted, outside), inner.clear();
        for (std::size_t i = 0; i < near.size(); ++i) {
            if (near[i].value < values[v]) continue;
            const int64_t brings = own + ceilings[near[i].row] - 2 * values[v];
            any.push_back(std::min(outside, brings));
            if ((inside >> i & 1) != 0) inner.push_back(brings);
        }
        least = std::min(least, outside + sum_of_least(any, wanted - 1));
        if (static_cast<int64_t>(inner.size()) >= wanted) least = std::min(least, sum_of_least(inner, wanted));
    }
    return std::min(2 * own, least / wanted);  // no record loses more than all: it might as well be withheld
}

// All copies of the neighbours, and the row's own, as neighbours of their own.
std::vector<Neighbour> with_copies(int64_t row, const std::vector<Neighbour>& near, const std::vector<int64_t>& copies, int64_t most,
                                   const Nearness& nearness) {
    std::vector<Neighbour> all;
    const auto add = [&](const Neighbour& n, int64_t times) {
        for (int64_t i = 0; i < times && static_cast<int64_t>(all.size()) < most; ++i) all.push_back(n);
    };
    // Nobody is nearer than one's like: it shares all that the cap allows.
    add({nearness.cap[row], row, nearness.rank(nearness.cap[row], nearness.cap[row])}, copies[row] - 1);
    for (const Neighbour& n : near) add(n, copies[n.row]);
    return all;
}

// Finds the neighbours of the rows asked for, a tile of similar ones at a time, and hands each its own.
template <class Visit>
void each_asked(const Nearest& nearest, const std::vector<int64_t>& copies, const std::vector<bool>& asked, int64_t most, int64_t patience,
                const Nearness& nearness, int threads, Task& task, Visit&& visit) {
    parallel_blocks(nearest.tiles(), 1, threads, task, [&](int64_t tile, int64_t, int) {
        std::vector<int64_t> rows;
        for (int64_t r = nearest.tile_begin(tile); r < nearest.tile_end(tile); ++r)
            if (asked[r]) rows.push_back(r);
        if (rows.empty()) return;
        const auto found = nearest.find(rows, most, nearness, patience, task);
        Triples triples(nearest.data());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            task.check();
            if (!found[i].empty()) visit(rows[i], with_copies(rows[i], found[i], copies, most, nearness), triples);
        }
    });
}

// The k-th largest count of each node, 0 where fewer than k records touch it.
std::vector<int32_t> reach(const Rows& counts, int64_t nodes, int64_t k) {
    std::vector<int64_t> start(nodes + 1, 0);
    for (int32_t v : counts.ids) ++start[v + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    std::vector<int32_t> by_node(counts.ids.size()), least(nodes, 0);
    std::vector<int64_t> at(start.begin(), start.end() - 1);
    for (std::size_t j = 0; j < counts.ids.size(); ++j) by_node[at[counts.ids[j]]++] = counts.counts[j];
    for (int64_t v = 0; v < nodes; ++v) {
        if (start[v + 1] - start[v] < k) continue;
        const auto first = by_node.begin() + start[v];
        std::nth_element(first, first + (k - 1), by_node.begin() + start[v + 1], std::greater<>());
        least[v] = *(first + (k - 1));
    }
    return least;
}

}  // namespace

OwnedRows reachable_counts(const Rows& counts, int64_t nodes, int64_t k) {
    const std::vector<int32_t> most = reach(counts, nodes, k);
    OwnedRows out;
    out.indptr.assign(1, 0);
    for (int64_t r = 0; r < counts.size(); ++r) {
        for (int64_t j = counts.indptr[r]; j < counts.indptr[r + 1]; ++j) {
            const int32_t c = std::min(counts.counts[j], most[counts.ids[j]]);
            if (c > 0) out.ids.push_back(counts.ids[j]), out.counts.push_back(c);
        }
        out.indptr.push_back(static_cast<int64_t>(out.ids.size()));
    }
    return out;
}

std::vector<int64_t> unavoidable_losses(const Scored& data, std::span<const int64_t> asked, const BoundOptions& options, int threads,
                                        Task& task) {
    const Distinct distinct = distinct_rows(data, threads, task);
    const Scored rows = distinct.rows.data();
    const Nearest nearest(rows, threads, task);
    // Where k are alike they need nobody else and lose nothing to each other.
    std::vector<bool> wanted(rows.size(), false);
    for (int64_t r : asked) wanted[distinct.row_of[r]] = distinct.copies[distinct.row_of[r]] < data.k;
    std::vector<int64_t> value(rows.size()), share(rows.size(), 0);
    for (int64_t r = 0; r < rows.size(); ++r) value[r] = rows.value(r);
    std::vector<int64_t> ceilings = value;
    task.begin(nearest.tiles() * (options.ceilings ? 2 : 1));
    if (options.ceilings)
        each_asked(nearest, distinct.copies, wanted, options.neighbours + 1, options.patience, {value, false}, threads, task,
                   [&](int64_t row, std::vector<Neighbour>&& near, Triples& triples) {
                       ceilings[row] = ceiling(row, std::move(near), options.neighbours, data.k, triples);
                   });
    each_asked(nearest, distinct.copies, wanted, options.neighbours, kEndless, {ceilings, true}, threads, task,
               [&](int64_t row, std::vector<Neighbour>&& near, Triples& triples) {
                   share[row] = fair_share(row, near, ceilings, data.k, triples);
               });
    std::vector<int64_t> credits(rows.size()), loses;
    for (int64_t r = 0; r < rows.size(); ++r) credits[r] = 2 * ceilings[r] - share[r];
    if (options.work > 0) lower_credits(rows, distinct.copies, credits, options.work, threads, task);
    for (int64_t r : asked) loses.push_back(2 * data.lengths[r] * data.scale - credits[distinct.row_of[r]]);
    return loses;
}

}  // namespace shoal
