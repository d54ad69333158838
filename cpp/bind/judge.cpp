// Bindings of the judge: what models count with, and no method calls.
#include <nanobind/nanobind.h>

#include "bind/bindings.hpp"
#include "judge/judge.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

void bind_judge(nb::module_& m) {
    m.def(
        "generalizes_pairs",
        [](I64 indptr, I32 ids, I32 counts, I64 published_indptr, I32 published_ids, I32 published_counts, I64 record, I64 row, I32 end,
           I32 depth, int threads, Task& task) {
            const Rows originals = bags(indptr, ids, counts, end.shape(0));
            const Rows published = bags(published_indptr, published_ids, published_counts, end.shape(0));
            subtree_ends(span(end));
            same_size(end.shape(0), depth.shape(0));
            need(record.shape(0) == row.shape(0), "as many records as rows");
            indices_within(span(record), originals.size());
            indices_within(span(row), published.size());
            return hand_over(unlocked(
                [&] { return generalizes_pairs(originals, published, span(record), span(row), span(end), span(depth), threads, task); }));
        },
        "indptr"_a, "ids"_a, "counts"_a, "published_indptr"_a, "published_ids"_a, "published_counts"_a, "record"_a, "row"_a, "end"_a,
        "depth"_a, "threads"_a, "task"_a);
    m.def(
        "generalizes",
        [](I64 indptr, I32 ids, I32 counts, I64 published_indptr, I32 published_ids, I32 published_counts, I64 row, I32 end, I32 depth,
           int threads, Task& task) {
            const Rows originals = bags(indptr, ids, counts, end.shape(0));
            const Rows published = bags(published_indptr, published_ids, published_counts, end.shape(0));
            subtree_ends(span(end));
            same_size(end.shape(0), depth.shape(0));
            need(static_cast<int64_t>(row.shape(0)) == originals.size(), "one published row per original record");
            rows_or_none(span(row), published.size());
            return hand_over(unlocked([&] { return generalizes(originals, published, span(row), span(end), span(depth), threads, task); }));
        },
        "indptr"_a, "ids"_a, "counts"_a, "published_indptr"_a, "published_ids"_a, "published_counts"_a, "row"_a, "end"_a, "depth"_a,
        "threads"_a, "task"_a);
}
