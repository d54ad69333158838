#include "base/rows.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "base/noise.hpp"
#include "base/parallel.hpp"

namespace shoal {

namespace {

int compare_rows(const Rows& rows, int64_t a, int64_t b) {
    auto x = rows.row_ids(a), y = rows.row_ids(b);
    if (!std::ranges::equal(x, y)) return std::ranges::lexicographical_compare(x, y) ? -1 : 1;
    auto p = rows.row_counts(a), q = rows.row_counts(b);
    if (std::ranges::equal(p, q)) return 0;
    return std::ranges::lexicographical_compare(p, q) ? -1 : 1;
}

uint64_t row_hash(const Rows& rows, int64_t i) {
    uint64_t h = 0x9e3779b97f4a7c15ULL;
    auto ids = rows.row_ids(i);
    auto counts = rows.row_counts(i);
    for (std::size_t j = 0; j < ids.size(); ++j)
        h = mixed(h ^ ((static_cast<uint64_t>(static_cast<uint32_t>(ids[j])) << 32) | static_cast<uint32_t>(counts[j])));
    return h;
}

std::vector<uint64_t> row_hashes(const Rows& rows, int threads, Task& task) {
    std::vector<uint64_t> hashes(rows.size());
    parallel_blocks(rows.size(), 4096, threads, task, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) hashes[i] = row_hash(rows, i);
    });
    return hashes;
}

// As std::sort, on all threads: each sorts a part, then parts are merged. `before` must be a total order.
template <class T, class Before>
void sort_in_parts(std::vector<T>& things, int threads, Task& task, Before&& before) {
    const auto n = static_cast<int64_t>(things.size());
    const int64_t part = std::max<int64_t>(4096, (n + threads - 1) / threads);
    const auto at = [&](int64_t i) { return things.begin() + static_cast<std::ptrdiff_t>(std::min(i, n)); };
    parallel_blocks(n, part, threads, task, [&](int64_t begin, int64_t end, int) { std::sort(at(begin), at(end), before); });
    for (int64_t width = part; width < n; width *= 2)
        parallel_blocks(n, 2 * width, threads, task,
                        [&](int64_t begin, int64_t end, int) { std::inplace_merge(at(begin), at(begin + width), at(end), before); });
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

OwnedRows selected_rows(const Rows& rows, std::span<const int64_t> chosen, int threads, Task& task) {
    const auto n = static_cast<int64_t>(chosen.size());
    OwnedRows out;
    out.indptr.assign(n + 1, 0);
    for (int64_t i = 0; i < n; ++i) out.indptr[i + 1] = out.indptr[i] + rows.indptr[chosen[i] + 1] - rows.indptr[chosen[i]];
    out.ids.resize(out.indptr[n]), out.counts.resize(out.indptr[n]);
    task.begin(n);
    parallel_blocks(n, 4096, threads, task, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) {
            std::ranges::copy(rows.row_ids(chosen[i]), out.ids.begin() + out.indptr[i]);
            std::ranges::copy(rows.row_counts(chosen[i]), out.counts.begin() + out.indptr[i]);
        }
    });
    return out;
}

std::vector<int64_t> identical_rows(const Rows& rows, int threads, Task& task) {
    const int64_t n = rows.size();
    task.begin(2 * n);
    const std::vector<uint64_t> hashes = row_hashes(rows, threads, task);
    int64_t capacity = 16;
    while (capacity < 2 * n) capacity *= 2;
    std::vector<int64_t> slot(capacity, -1), label(n);  // slot -> a row of that content; probing is linear
    int64_t labels = 0;
    for (int64_t i = 0; i < n; ++i) {
        if (i % 4096 == 0) task.step(std::min<int64_t>(4096, n - i));
        uint64_t at = hashes[i] & (capacity - 1);
        while (slot[at] >= 0 && (hashes[slot[at]] != hashes[i] || compare_rows(rows, slot[at], i) != 0)) at = (at + 1) & (capacity - 1);
        if (slot[at] < 0) {
            slot[at] = i;
            label[i] = labels++;
        } else {
            label[i] = label[slot[at]];
        }
    }
    return label;
}

std::vector<int64_t> content_order(const Rows& rows, std::span<const int64_t> tie, int threads, Task& task) {
    const int64_t n = rows.size();
    struct Key {
        int64_t length;
        uint64_t hash;
        int64_t row;
    };
    std::vector<Key> keys(n);
    task.begin(3 * n);
    parallel_blocks(n, 4096, threads, task, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) keys[i] = {rows.length(i), row_hash(rows, i), i};
    });
    sort_in_parts(keys, threads, task, [&](const Key& a, const Key& b) {
        if (a.length != b.length) return a.length > b.length;
        if (a.hash != b.hash) return a.hash < b.hash;
        if (const int c = compare_rows(rows, a.row, b.row); c != 0) return c < 0;
        return tie[a.row] != tie[b.row] ? tie[a.row] < tie[b.row] : a.row < b.row;
    });
    std::vector<int64_t> order(n);
    std::ranges::transform(keys, order.begin(), &Key::row);
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

std::vector<int64_t> by_owner(std::span<const int64_t> owners) {
    std::vector<int64_t> order(owners.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    if (!std::ranges::is_sorted(owners)) std::ranges::stable_sort(order, {}, [&](int64_t row) { return owners[row]; });
    return order;
}

std::vector<int64_t> owners_per_item(const Rows& rows, std::span<const int64_t> owners, int64_t items, Task& task) {
    std::vector<int64_t> found(items, 0), seen(items, -1);  // seen: the first row, in this order, of the last owner with the item
    int64_t first = 0, at = 0;
    for (const std::vector<int64_t> order = by_owner(owners); int64_t row : order) {
        if (at % 65536 == 0) task.check();
        if (owners[row] != owners[order[first]]) first = at;
        for (int32_t item : rows.row_ids(row))
            if (seen[item] != first) {
                seen[item] = first;
                ++found[item];
            }
        ++at;
    }
    return found;
}

std::vector<int64_t> frequencies(std::span<const int32_t> numbers, int64_t n, Task& task) {
    std::vector<int64_t> often(n, 0);
    task.begin(static_cast<int64_t>(numbers.size()));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i % 65536 == 0) task.check();
        if (numbers[i] >= 0) ++often[numbers[i]];
    }
    return often;
}

}  // namespace shoal
