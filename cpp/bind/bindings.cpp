// The module, and the bindings of base, lattice, grouping and words. One function per kernel.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "base/infeasible.hpp"
#include "base/rows.hpp"
#include "bind/bindings.hpp"
#include "bind/values.hpp"
#include "grouping/clump.hpp"
#include "grouping/partition.hpp"
#include "lattice/cover.hpp"
#include "lattice/meet.hpp"
#include "lattice/tree_counts.hpp"
#include "text/interner.hpp"
#include "text/strings.hpp"

namespace nb = nanobind;

void bind_itemsets(nb::module_& m);

using namespace nb::literals;
using namespace shoal;

void bind_judge(nb::module_& m);
void bind_ssc(nb::module_& m);
void bind_grow(nb::module_& m);
void bind_reading(nb::module_& m);
void bind_vectors(nb::module_& m);

namespace {

void bind_task(nb::module_& m) {
    nb::exception<Cancelled>(m, "Cancelled");
    nb::exception<Infeasible>(m, "Infeasible");
    nb::class_<Task>(m, "Task", "Progress of a running kernel, and the way to stop it.")
        .def(nb::init<>())
        .def("cancel", &Task::cancel)
        .def("begin", &Task::begin, "total"_a, "So much work is to come, in steps.")
        .def("step", &Task::step, "n"_a = 1, "So much of it is done. Raises Cancelled where the caller gave up.")
        .def_prop_ro("cancelled", &Task::cancelled)
        .def_prop_ro("done", &Task::done)
        .def_prop_ro("total", &Task::total);
}

void bind_rows(nb::module_& m) {
    nb::class_<BoundRows>(m, "Rows", "Sparse rows: row i is ids[indptr[i]:indptr[i + 1]], each with its count.")
        .def(nb::init<I64, I32, I32>(), "indptr"_a, "ids"_a, "counts"_a)
        .def("__len__", &BoundRows::size)
        .def_ro("indptr", &BoundRows::indptr)
        .def_ro("ids", &BoundRows::ids)
        .def_ro("counts", &BoundRows::counts);
    m.def(
        "canonical_rows",
        [](I64 indptr, I32 ids, I32 counts, bool as_sets, int threads, Task& task) {
            const Rows in = loose_rows(indptr, ids, counts);
            return hand_over(unlocked([&] { return canonical_rows(in, as_sets, threads, task); }));
        },
        "indptr"_a, "ids"_a, "counts"_a, "as_sets"_a, "threads"_a, "task"_a);
    m.def(
        "renamed_rows",
        [](I64 indptr, I32 ids, I32 code, Task& task) {
            const Rows in = loose_rows(indptr, ids, ids);
            ids_within(in, static_cast<int64_t>(code.shape(0)));
            BareRows out = unlocked([&] { return renamed_rows(in.indptr, in.ids, span(code), task); });
            return nb::make_tuple(hand_over(std::move(out.indptr)), hand_over(std::move(out.ids)));
        },
        "indptr"_a, "ids"_a, "code"_a, "task"_a);
    m.def(
        "selected_rows",
        [](I64 indptr, I32 ids, I32 counts, I64 chosen, int threads, Task& task) {
            const Rows in = rows(indptr, ids, counts);
            indices_within(span(chosen), in.size());
            return hand_over(unlocked([&] { return selected_rows(in, span(chosen), threads, task); }));
        },
        "indptr"_a, "ids"_a, "counts"_a, "chosen"_a, "threads"_a, "task"_a);
    m.def(
        "identical_rows",
        [](const BoundRows& rows, int threads, Task& task) {
            return hand_over(unlocked([&] { return identical_rows(rows.view, threads, task); }));
        },
        "rows"_a, "threads"_a, "task"_a);
    m.def(
        "content_order",
        [](I64 indptr, I32 ids, I32 counts, I64 tie, int threads, Task& task) {
            const Rows in = rows(indptr, ids, counts);
            need(tie.shape(0) == static_cast<std::size_t>(in.size()), "one tie rank per row");
            return hand_over(unlocked([&] { return content_order(in, span(tie), threads, task); }));
        },
        "indptr"_a, "ids"_a, "counts"_a, "tie"_a, "threads"_a, "task"_a);
    m.def(
        "shared_occurrences",
        [](I64 indptr, I32 ids, I32 counts, I64 other_indptr, I32 other_ids, I32 other_counts, I64 partner, int threads, Task& task) {
            const Rows in = rows(indptr, ids, counts), others = rows(other_indptr, other_ids, other_counts);
            need(partner.shape(0) == static_cast<std::size_t>(in.size()), "one partner per row");
            rows_or_none(span(partner), others.size());
            return unlocked([&] { return shared_occurrences(in, others, span(partner), threads, task); });
        },
        "indptr"_a, "ids"_a, "counts"_a, "other_indptr"_a, "other_ids"_a, "other_counts"_a, "partner"_a, "threads"_a, "task"_a,
        "Item occurrences that each row shares with its partner, all together; a partner below zero is none.");
}

void bind_trees(nb::module_& m) {
    m.def(
        "tree_counts",
        [](I64 indptr, I32 ids, I32 counts, I32 up, I32 end, I32 first, int threads, Task& task) {
            const Rows in = bags(indptr, ids, counts, up.shape(0));
            same_size(up.shape(0), end.shape(0));
            same_size(up.shape(0), first.shape(0));
            subtree_ends(span(end));
            lower_numbers(span(up), 0);
            lower_numbers(span(first), 1);
            return hand_over(unlocked([&] { return tree_counts(in, {span(up), span(end)}, span(first), threads, task); }));
        },
        "indptr"_a, "ids"_a, "counts"_a, "up"_a, "end"_a, "first"_a, "threads"_a, "task"_a);
    m.def(
        "min_sums",
        [](I64 indptr, I32 ids, I32 counts, I64 left, I64 right, I64 weight, int threads, Task& task) {
            const Rows in = rows(indptr, ids, counts);
            need(left.shape(0) == right.shape(0), "as many left rows as right rows");
            ids_within(in, static_cast<int64_t>(weight.shape(0)));
            indices_within(span(left), in.size());
            indices_within(span(right), in.size());
            return hand_over(unlocked([&] { return min_sums(in, span(left), span(right), span(weight), threads, task); }));
        },
        "indptr"_a, "ids"_a, "counts"_a, "left"_a, "right"_a, "weight"_a, "threads"_a, "task"_a);
    m.def(
        "meet_groups",
        [](I64 indptr, I32 ids, I32 counts, I32 parent, I32 end, I64 starts, I64 members, int threads, Task& task) {
            const Rows in = bags(indptr, ids, counts, parent.shape(0));
            preorder(span(parent), span(end));
            group_starts(span(starts), members.shape(0));
            indices_within(span(members), in.size());
            return hand_over(unlocked([&] {
                return meet_groups(in, {span(parent), span(end)}, span(starts), span(members), threads, task);
            }));
        },
        "indptr"_a, "ids"_a, "counts"_a, "parent"_a, "end"_a, "starts"_a, "members"_a, "threads"_a, "task"_a);
    m.def(
        "covering_nodes",
        [](I64 indptr, I32 ids, I32 counts, I64 published_indptr, I32 published_ids, I32 published_counts, I64 row, I32 end, int threads,
           Task& task) {
            const Rows originals = bags(indptr, ids, counts, end.shape(0));
            const Rows published = bags(published_indptr, published_ids, published_counts, end.shape(0));
            need(static_cast<int64_t>(row.shape(0)) == originals.size(), "one published row per original record");
            rows_or_none(span(row), published.size());
            subtree_ends(span(end));
            return hand_over(unlocked([&] { return covering_nodes(originals, published, span(row), span(end), threads, task); }));
        },
        "indptr"_a, "ids"_a, "counts"_a, "published_indptr"_a, "published_ids"_a, "published_counts"_a, "row"_a, "end"_a, "threads"_a,
        "task"_a);
}

void bind_methods(nb::module_& m) {
    m.def(
        "clump",
        [](I64 indptr, I32 ids, I32 counts, I64 lengths, I64 order, I64 owner, I64 weight, int64_t scale, int64_t k, int64_t r, bool total,
           bool owners_repeat, Task& task) {
            const Rows in = rows(indptr, ids, counts);
            need(static_cast<int64_t>(lengths.shape(0)) == in.size() && owner.shape(0) == lengths.shape(0),
                 "one length and owner per record");
            need(k >= 1 && r >= 1 && scale >= 1, "k, r and scale of one or more");
            ids_within(in, static_cast<int64_t>(weight.shape(0)));
            not_negative(span(weight));
            not_negative(span(lengths));
            permutation(span(order), in.size());
            const ClumpOptions options{k, r, total, owners_repeat};
            return hand_over(
                unlocked([&] { return clump(in, span(lengths), span(order), span(owner), span(weight), scale, options, task); }));
        },
        "indptr"_a, "ids"_a, "counts"_a, "lengths"_a, "order"_a, "owner"_a, "weight"_a, "scale"_a, "k"_a, "r"_a, "total"_a,
        "owners_repeat"_a, "task"_a);
    m.def(
        "partition",
        [](I64 indptr, I32 ids, I32 counts, I32 parent, I32 end, I64 leaves, I64 order, I64 owner, int64_t k, int64_t tries,
           bool recurse_leftover, bool owners_repeat, Task& task) {
            const Rows in = bags(indptr, ids, counts, parent.shape(0));
            need(k >= 1 && tries >= 1, "k and tries of one or more");
            permutation(span(order), in.size());
            preorder(span(parent), span(end));
            same_size(parent.shape(0), leaves.shape(0));
            for (int64_t below : span(leaves)) need(below >= 1, "a leaf below every node, or itself");
            same_size(owner.shape(0), static_cast<std::size_t>(in.size()));
            const PartitionOptions options{k, tries, recurse_leftover, owners_repeat};
            PartitionResult result =
                unlocked([&] { return partition(in, span(parent), span(end), span(leaves), span(order), span(owner), options, task); });
            return nb::make_tuple(hand_over(std::move(result.group)), hand_over(std::move(result.cuts)));
        },
        "indptr"_a, "ids"_a, "counts"_a, "parent"_a, "end"_a, "leaves"_a, "order"_a, "owner"_a, "k"_a, "tries"_a, "recurse_leftover"_a,
        "owners_repeat"_a, "task"_a);
}

// A series' stream capsule; the capsule stays alive in `holder` for as long as its stream is read.
ArrowArrayStream* stream_of(nb::handle capsule) {
    void* pointer = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
    if (!pointer) throw nb::python_error();
    return static_cast<ArrowArrayStream*>(pointer);
}

void bind_text(nb::module_& m) {
    nb::class_<Interner>(m, "Interner", "Numbers distinct strings in order of first appearance.")
        .def(nb::init<>())
        .def("__len__", &Interner::size)
        .def(
            "encode",
            [](Interner& self, nb::object capsule, Task& task) {
                ArrowArrayStream* stream = stream_of(capsule);
                return hand_over(unlocked([&] { return self.encode(Strings(stream).views(), task); }));
            },
            "stream"_a, "task"_a)
        .def(
            "words",
            [](Interner& self, nb::object capsule, int64_t shortest, bool lower, int threads, Task& task) {
                ArrowArrayStream* stream = stream_of(capsule);
                auto words = unlocked([&] { return self.words(Strings(stream).views(), shortest, lower, threads, task); });
                return nb::make_tuple(hand_over(std::move(words.indptr)), hand_over(std::move(words.ids)));
            },
            "stream"_a, "shortest"_a, "lower"_a, "threads"_a, "task"_a)
        .def("strings", [](const Interner& self) {
            nb::list out;
            for (int64_t i = 0; i < self.size(); ++i) {
                const auto s = self[i];
                out.append(nb::str(s.data(), s.size()));
            }
            return out;
        });
}

}  // namespace

NB_MODULE(_kernels, m) {
    // After an interrupt a thread may still hold objects when the process ends: nothing that users should read about.
    nb::set_leak_warnings(false);
    m.doc() = "shoal's kernels: arrays in, arrays out.";
    bind_task(m);
    bind_rows(m);
    bind_trees(m);
    bind_methods(m);
    bind_judge(m);
    bind_text(m);
    bind_itemsets(m);
    bind_ssc(m);
    bind_reading(m);
    bind_grow(m);
    bind_vectors(m);
}
