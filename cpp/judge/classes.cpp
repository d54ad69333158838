#include "judge/classes.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "judge/work.hpp"

namespace shoal {

namespace {

struct Print {
    uint64_t value;
    int64_t row;
};

uint64_t fingerprint(const Rows& rows, int64_t row) {
    constexpr uint64_t prime = 0x100000001b3ULL;
    uint64_t value = 0xcbf29ce484222325ULL;
    for (int64_t at = rows.indptr[row]; at < rows.indptr[row + 1]; ++at) {
        value = (value ^ static_cast<uint32_t>(rows.ids[at])) * prime;
        value = (value ^ static_cast<uint32_t>(rows.counts[at])) * prime;
        value ^= value >> 29;
    }
    return value;
}

bool identical(const Rows& rows, int64_t a, int64_t b) {
    const int64_t length = rows.indptr[a + 1] - rows.indptr[a];
    if (rows.indptr[b + 1] - rows.indptr[b] != length) return false;
    for (int64_t i = 0; i < length; ++i) {
        const int64_t x = rows.indptr[a] + i, y = rows.indptr[b] + i;
        if (rows.ids[x] != rows.ids[y] || rows.counts[x] != rows.counts[y]) return false;
    }
    return true;
}

}  // namespace

std::vector<int64_t> row_classes(const Rows& rows, int threads, Task& task) {
    const int64_t n = rows.size();
    std::vector<Print> prints(n);
    task.begin(n);
    parallel_blocks(n, 8192, threads, task, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) prints[i] = {fingerprint(rows, i), i};
    });
    std::ranges::sort(prints, [](const Print& a, const Print& b) { return a.value != b.value ? a.value < b.value : a.row < b.row; });
    std::vector<int64_t> first(n), distinct;  // the first row of the same content; the distinct contents of one fingerprint
    Work work(task);
    for (int64_t at = 0; at < n; ++at) {
        if (at == 0 || prints[at - 1].value != prints[at].value) distinct.clear();
        const int64_t row = prints[at].row;
        const auto same = std::ranges::find_if(distinct, [&](int64_t other) { return identical(rows, other, row); });
        work.add(8 + (same - distinct.begin() + 1) * (rows.indptr[row + 1] - rows.indptr[row] + 1));
        first[row] = same == distinct.end() ? row : *same;
        if (same == distinct.end()) distinct.push_back(row);
    }
    work.flush();
    std::vector<int64_t> label(n);
    int64_t labels = 0;
    for (int64_t i = 0; i < n; ++i) label[i] = first[i] == i ? labels++ : label[first[i]];
    return label;
}

}  // namespace shoal
