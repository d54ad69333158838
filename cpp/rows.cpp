#include "rows.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "parallel.hpp"

namespace shoal {

namespace {

// The finalizer of SplitMix64: fixed constants, so that the order of records is the same on every machine and run.
uint64_t mix(uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

int compare_rows(const Rows& rows, int64_t a, int64_t b) {
    auto x = rows.row_ids(a), y = rows.row_ids(b);
    if (!std::ranges::equal(x, y)) return std::ranges::lexicographical_compare(x, y) ? -1 : 1;
    auto p = rows.row_counts(a), q = rows.row_counts(b);
    if (std::ranges::equal(p, q)) return 0;
    return std::ranges::lexicographical_compare(p, q) ? -1 : 1;
}

// With this many occurrences a record's subtree counts still fit the counters of all kernels.
constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

void canonical_row(std::vector<Entry>& row, bool as_set) {
    std::ranges::sort(row, {}, &Entry::node);
    std::size_t kept = 0;
    int64_t total = 0;
    for (const Entry e : row) {
        if (e.node < 0 || e.count <= 0) continue;
        total += as_set ? 1 : e.count;
        if (kept == 0 || row[kept - 1].node != e.node)
            row[kept++] = {e.node, as_set ? 1 : e.count};
        else if (!as_set && total <= kMost)
            row[kept - 1].count += e.count;
    }
    if (total > kMost) throw std::overflow_error("a record holds more than 2,147,483,647 item occurrences");
    row.resize(kept);
}

}  // namespace

uint64_t row_hash(const Rows& rows, int64_t i) {
    uint64_t h = 0x9e3779b97f4a7c15ULL;
    auto ids = rows.row_ids(i);
    auto counts = rows.row_counts(i);
    for (std::size_t j = 0; j < ids.size(); ++j)
        h = mix(h ^ ((static_cast<uint64_t>(static_cast<uint32_t>(ids[j])) << 32) | static_cast<uint32_t>(counts[j])));
    return h;
}

bool same_row(const Rows& rows, int64_t a, int64_t b) { return compare_rows(rows, a, b) == 0; }

OwnedRows canonical_rows(const Rows& rows, bool as_sets, int threads, Task& task) {
    constexpr int64_t block = 1024;
    const int64_t n = rows.size(), blocks = (n + block - 1) / block;
    std::vector<std::vector<Entry>> parts(blocks);
    OwnedRows out;
    out.indptr.assign(n + 1, 0);
    task.begin(n);
    parallel_blocks(n, block, threads, task, [&](int64_t begin, int64_t end, int) {
        std::vector<Entry> row;
        auto& part = parts[begin / block];
        for (int64_t i = begin; i < end; ++i) {
            row.clear();
            for (int64_t j = rows.indptr[i]; j < rows.indptr[i + 1]; ++j) row.push_back({rows.ids[j], rows.counts[j]});
            canonical_row(row, as_sets);
            out.indptr[i + 1] = static_cast<int64_t>(row.size());
            part.insert(part.end(), row.begin(), row.end());
        }
    });
    std::partial_sum(out.indptr.begin(), out.indptr.end(), out.indptr.begin());
    out.ids.reserve(out.indptr[n]);
    out.counts.reserve(out.indptr[n]);
    for (auto& part : parts) {
        for (const Entry& e : part) {
            out.ids.push_back(e.node);
            out.counts.push_back(e.count);
        }
        std::vector<Entry>().swap(part);
    }
    return out;
}

BareRows renamed_rows(std::span<const int64_t> indptr, std::span<const int32_t> ids, std::span<const int32_t> code, Task& task) {
    BareRows out;
    out.indptr.assign(indptr.size(), 0);
    out.ids.reserve(ids.size());
    for (std::size_t i = 1; i < indptr.size(); ++i) {
        if (i % 65536 == 0) task.check();
        for (int64_t at = indptr[i - 1]; at < indptr[i]; ++at)
            if (const int32_t renamed = code[ids[at]]; renamed >= 0) out.ids.push_back(renamed);
        out.indptr[i] = static_cast<int64_t>(out.ids.size());
    }
    return out;
}

std::vector<int64_t> identical_rows(const Rows& rows, Task& task) {
    const int64_t n = rows.size();
    task.begin(n);
    int64_t capacity = 16;
    while (capacity < 2 * n) capacity *= 2;
    std::vector<int64_t> slot(capacity, -1), label(n);  // slot -> a row of that content; probing is linear
    int64_t labels = 0;
    for (int64_t i = 0; i < n; ++i) {
        if (i % 4096 == 0) task.step(std::min<int64_t>(4096, n - i));
        uint64_t at = row_hash(rows, i) & (capacity - 1);
        while (slot[at] >= 0 && !same_row(rows, slot[at], i)) at = (at + 1) & (capacity - 1);
        if (slot[at] < 0) {
            slot[at] = i;
            label[i] = labels++;
        } else {
            label[i] = label[slot[at]];
        }
    }
    return label;
}

std::vector<int64_t> content_order(const Rows& rows, std::span<const int64_t> tie, Task& task) {
    const int64_t n = rows.size();
    task.begin(1);
    struct Key {
        int64_t length;
        uint64_t hash;
        int64_t row;
    };
    std::vector<Key> keys(n);
    for (int64_t i = 0; i < n; ++i) {
        if (i % 65536 == 0) task.check();
        keys[i] = {rows.length(i), row_hash(rows, i), i};
    }
    int64_t compared = 0;
    std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
        if (++compared % 65536 == 0) task.check();
        if (a.length != b.length) return a.length > b.length;
        if (a.hash != b.hash) return a.hash < b.hash;
        if (const int c = compare_rows(rows, a.row, b.row); c != 0) return c < 0;
        return tie[a.row] < tie[b.row];
    });
    std::vector<int64_t> order(n);
    std::ranges::transform(keys, order.begin(), &Key::row);
    task.step();
    return order;
}

int64_t shared_occurrences(const Rows& rows, const Rows& others, std::span<const int64_t> partner, int threads, Task& task) {
    std::atomic<int64_t> total{0};
    task.begin(rows.size());
    parallel_blocks(rows.size(), 4096, threads, task, [&](int64_t begin, int64_t end, int) {
        int64_t shared = 0;
        for (int64_t i = begin; i < end; ++i) {
            if (partner[i] < 0) continue;
            int64_t o = others.indptr[partner[i]];
            const int64_t last = others.indptr[partner[i] + 1];
            for (int64_t j = rows.indptr[i]; j < rows.indptr[i + 1]; ++j) {
                while (o < last && others.ids[o] < rows.ids[j]) ++o;
                if (o == last) break;
                if (others.ids[o] == rows.ids[j]) shared += std::min(others.counts[o], rows.counts[j]);
            }
        }
        total += shared;
    });
    return total;
}

}  // namespace shoal
