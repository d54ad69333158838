// Bindings of the judge: what models count with, and no method calls.
#include <nanobind/nanobind.h>

#include "bind/bindings.hpp"
#include "judge/classes.hpp"
#include "judge/generalizes.hpp"
#include "judge/known_sets.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

namespace {

Shown shown(const Rows& in, const I64& row, const I64& owner, const U8& open, const U8& hidden) {
    same_size(open.shape(0), hidden.shape(0));
    ids_within(in, static_cast<int64_t>(open.shape(0)));
    indices_within(span(row), in.size());
    need(row.shape(0) <= static_cast<std::size_t>(std::numeric_limits<int32_t>::max()), "at most 2,147,483,647 records");
    need(owner.shape(0) == 0 || owner.shape(0) == row.shape(0), "an owner for every record, or none at all");
    for (std::size_t i = 1; i < owner.shape(0); ++i) need(owner.data()[i - 1] <= owner.data()[i], "records sorted by owner");
    return {in, span(row), span(owner), span(open), span(hidden)};
}

nb::object sets_for_python(KnownSets&& found) {
    nb::list examples;
    for (UnsafeSet& set : found.examples)
        examples.append(nb::make_tuple(hand_over(std::move(set.items)), set.people, set.hidden, set.holders, set.cohort));
    nb::dict out;
    out["counted"] = found.counted;
    out["few"] = found.few;
    out["telling"] = found.telling;
    out["examples"] = examples;
    out["fewest"] = found.fewest;
    out["holders"] = found.holders;
    out["cohort"] = found.cohort;
    return out;
}

void bind_counting(nb::module_& m) {
    m.def(
        "row_classes",
        [](I64 indptr, I32 ids, I32 counts, int threads, Task& task) {
            const Rows in = rows(indptr, ids, counts);
            return hand_over(unlocked([&] { return row_classes(in, threads, task); }));
        },
        "indptr"_a, "ids"_a, "counts"_a, "threads"_a, "task"_a);
    m.def(
        "known_sets",
        [](I64 indptr, I32 ids, I32 counts, I64 row, I64 owner, U8 open, U8 hidden, int64_t size, int64_t k, int64_t h_numerator,
           int64_t h_denominator, int64_t most_examples, int threads, Task& task) {
            need(size >= 0 && size <= static_cast<int64_t>(open.shape(0)), "sets of at most all items");
            need(k >= 1 && h_denominator > 0 && h_numerator >= 0 && most_examples >= 0, "k of at least 1 and a fraction h of at least 0");
            const Rows in = rows(indptr, ids, counts);
            const Shown data = shown(in, row, owner, open, hidden);
            const Limits limits{k, h_numerator, h_denominator};
            return sets_for_python(unlocked([&] { return known_sets(data, size, limits, most_examples, threads, task); }));
        },
        "indptr"_a, "ids"_a, "counts"_a, "row"_a, "owner"_a, "open"_a, "hidden"_a, "size"_a, "k"_a, "h_numerator"_a, "h_denominator"_a,
        "most_examples"_a, "threads"_a, "task"_a);
}

void bind_generalizes(nb::module_& m) {
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

}  // namespace

void bind_judge(nb::module_& m) {
    bind_counting(m);
    bind_generalizes(m);
}
