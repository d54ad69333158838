// The module, and the bindings of base, lattice and words. One function per kernel.
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
#include "lattice/cover.hpp"
#include "lattice/meet.hpp"
#include "lattice/published_forms.hpp"
#include "lattice/tree_counts.hpp"
#include "text/interner.hpp"
#include "text/strings.hpp"

namespace nb = nanobind;

void bind_itemsets(nb::module_& m);

using namespace nb::literals;
using namespace shoal;

void bind_grouping(nb::module_& m);
void bind_judge(nb::module_& m);
void bind_ssc(nb::module_& m);
void bind_grow(nb::module_& m);
void bind_reading(nb::module_& m);
void bind_cuts(nb::module_& m);
void bind_attack(nb::module_& m);
void bind_band(nb::module_& m);
void bind_topics(nb::module_& m);
void bind_chunks(nb::module_& m);
void bind_vectors(nb::module_& m);
void bind_fields(nb::module_& m);
void bind_queries(nb::module_& m);
void bind_senses(nb::module_& m);

namespace {

void bind_task(nb::module_& m) {
    nb::exception<Cancelled>(m, "Cancelled");
    nb::exception<Infeasible>(m, "Infeasible");
    nb::exception<OutOfPatience>(m, "OutOfPatience");
    nb::class_<Task>(m, "Task", "Progress of a running kernel, and the way to stop it.")
        .def(nb::init<>())
        .def("cancel", &Task::cancel)
        .def("begin", &Task::begin, "total"_a, "So much work is to come, in steps.")
        .def("step", &Task::step, "n"_a = 1, "So much of it is done. Raises Cancelled where the caller gave up.")
        .def("allow", &Task::allow, "steps"_a, "Limit the work of the kernels that use this task. Beyond it they raise OutOfPatience.")
        .def_prop_ro("spent", &Task::spent, "Steps of work that the kernels have counted.")
        .def_prop_ro("cancelled", &Task::cancelled)
        .def_prop_ro("done", &Task::done)
        .def_prop_ro("total", &Task::total);
}

void bind_types(nb::module_& m) {
    nb::class_<BoundRows>(m, "Rows", "Sparse rows: row i is ids[indptr[i]:indptr[i + 1]], each with its count.")
        .def(nb::init<I64, I32, I32>(), "indptr"_a, "ids"_a, "counts"_a)
        .def("__len__", &BoundRows::size)
        .def_prop_ro("indptr", [](const BoundRows& r) { return lend(r.indptr); })
        .def_prop_ro("ids", [](const BoundRows& r) { return lend(r.ids); })
        .def_prop_ro("counts", [](const BoundRows& r) { return lend(r.counts); });
    nb::class_<BoundTree>(m, "Tree", "A tree in preorder: the subtree of node v is [v, end[v]).")
        .def(nb::init<I32, I32, I32>(), "parent"_a, "end"_a, "depth"_a)
        .def("__len__", &BoundTree::size);
}

void bind_rows(nb::module_& m) {
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
            return std::tuple(hand_over(std::move(out.indptr)), hand_over(std::move(out.ids)));
        },
        "indptr"_a, "ids"_a, "code"_a, "task"_a);
    m.def(
        "selected_rows",
        [](const BoundRows& rows, I64 chosen, int threads, Task& task) {
            const Rows& in = rows.view;
            indices_within(span(chosen), in.size());
            return hand_over(unlocked([&] { return selected_rows(in, span(chosen), threads, task); }));
        },
        "rows"_a, "chosen"_a, "threads"_a, "task"_a);
    m.def(
        "identical_rows",
        [](const BoundRows& rows, int threads, Task& task) {
            return hand_over(unlocked([&] { return identical_rows(rows.view, threads, task); }));
        },
        "rows"_a, "threads"_a, "task"_a);
    m.def(
        "content_order",
        [](const BoundRows& rows, I64 tie, int threads, Task& task) {
            const Rows& in = rows.view;
            need(tie.shape(0) == static_cast<std::size_t>(in.size()), "one tie rank per row");
            return hand_over(unlocked([&] { return content_order(in, span(tie), threads, task); }));
        },
        "rows"_a, "tie"_a, "threads"_a, "task"_a);
}

void bind_counts(nb::module_& m) {
    m.def(
        "frequencies",
        [](I32 numbers, int64_t n, Task& task) {
            need(n >= 0, "n of at least 0");
            for (int32_t number : span(numbers)) need(number < n, "numbers below n");
            return hand_over(unlocked([&] { return frequencies(span(numbers), n, task); }));
        },
        "numbers"_a, "n"_a, "task"_a, "How often each number below n occurs; those below 0 are left out.");
    m.def(
        "owners_per_item",
        [](const BoundRows& rows, I64 owners, int64_t items, Task& task) {
            same_size(rows.size(), owners.shape(0));
            const Rows& in = rows.below(static_cast<std::size_t>(std::max<int64_t>(items, 0)));
            return hand_over(unlocked([&] { return owners_per_item(in, span(owners), items, task); }));
        },
        "rows"_a, "owners"_a, "items"_a, "task"_a);
    m.def(
        "shared_occurrences",
        [](const BoundRows& rows, const BoundRows& others, I64 partner, int threads, Task& task) {
            const Rows& in = rows.view;
            need(partner.shape(0) == static_cast<std::size_t>(in.size()), "one partner per row");
            rows_or_none(span(partner), others.view.size());
            return unlocked([&] { return shared_occurrences(in, others.view, span(partner), threads, task); });
        },
        "rows"_a, "others"_a, "partner"_a, "threads"_a, "task"_a,
        "Item occurrences that each row shares with its partner, all together; a partner below zero is none.");
}

void bind_trees(nb::module_& m) {
    m.def(
        "tree_counts",
        [](const BoundRows& rows, I32 up, I32 end, I32 first, int threads, Task& task) {
            const Rows& in = rows.on_tree(up.shape(0));
            same_size(up.shape(0), end.shape(0));
            same_size(up.shape(0), first.shape(0));
            subtree_ends(span(end));
            lower_numbers(span(up), 0);
            lower_numbers(span(first), 1);
            return hand_over(unlocked([&] { return tree_counts(in, {span(up), span(end)}, span(first), threads, task); }));
        },
        "rows"_a, "up"_a, "end"_a, "first"_a, "threads"_a, "task"_a);
    m.def(
        "min_sums",
        [](const BoundRows& rows, I64 left, I64 right, I64 weight, int threads, Task& task) {
            const Rows& in = rows.below(weight.shape(0));
            need(left.shape(0) == right.shape(0), "as many left rows as right rows");
            indices_within(span(left), in.size());
            indices_within(span(right), in.size());
            return hand_over(unlocked([&] { return min_sums(in, span(left), span(right), span(weight), threads, task); }));
        },
        "rows"_a, "left"_a, "right"_a, "weight"_a, "threads"_a, "task"_a);
    m.def(
        "meet_groups",
        [](const BoundRows& rows, const BoundTree& tree, I64 starts, I64 members, int threads, Task& task) {
            const Rows& in = rows.on_tree(tree.size());
            group_starts(span(starts), members.shape(0));
            indices_within(span(members), in.size());
            return hand_over(unlocked([&] { return meet_groups(in, tree.view(), span(starts), span(members), threads, task); }));
        },
        "rows"_a, "tree"_a, "starts"_a, "members"_a, "threads"_a, "task"_a);
    m.def(
        "covering_nodes",
        [](const BoundRows& originals, const BoundRows& published, I64 row, const BoundTree& tree, int threads, Task& task) {
            const Rows &in = originals.on_tree(tree.size()), &out = published.on_tree(tree.size());
            need(row.shape(0) == originals.size(), "one published row per original record");
            rows_or_none(span(row), out.size());
            return hand_over(unlocked([&] { return covering_nodes(in, out, span(row), span(tree.end), threads, task); }));
        },
        "originals"_a, "published"_a, "row"_a, "tree"_a, "threads"_a, "task"_a);
    m.def(
        "published_forms",
        [](const BoundRows& originals, const BoundRows& published, I64 row, const BoundTree& tree, U8 top, int threads, Task& task) {
            const Rows &in = originals.on_tree(tree.size()), &out = published.on_tree(tree.size());
            need(row.shape(0) == originals.size(), "one published row per original record");
            rows_or_none(span(row), out.size());
            same_size(top.shape(0), tree.size());
            const auto found = unlocked([&] { return published_forms(in, out, span(row), tree.view(), span(top), threads, task); });
            return std::tuple(found.own, found.parent, found.higher, found.top);
        },
        "originals"_a, "published"_a, "row"_a, "tree"_a, "top"_a, "threads"_a, "task"_a,
        "Item occurrences that are published as themselves, as their parent, as a higher node, as a top node.");
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
                return std::tuple(hand_over(std::move(words.indptr)), hand_over(std::move(words.ids)));
            },
            "stream"_a, "shortest"_a, "lower"_a, "threads"_a, "task"_a)
        .def(
            "pieces",
            [](Interner& self, nb::object capsule, const std::string& separator, Task& task) {
                need(separator.size() == 1, "a separator of one byte");
                ArrowArrayStream* stream = stream_of(capsule);
                auto words = unlocked([&] { return self.pieces(Strings(stream).views(), separator[0], task); });
                return std::tuple(hand_over(std::move(words.indptr)), hand_over(std::move(words.ids)));
            },
            "stream"_a, "separator"_a, "task"_a, "The pieces of every string between separators, without empty ones.")
        .def(
            "strings",
            [](const Interner& self, int64_t first) -> nb::typed<nb::list, nb::str> {
                need(first >= 0, "strings from the first, or from a later one on");
                nb::list out;
                for (int64_t i = first; i < self.size(); ++i) {
                    const auto s = self[i];
                    out.append(nb::str(s.data(), s.size()));
                }
                return out;
            },
            "first"_a = 0, "The strings in the order of their numbers, from this number on.");
    m.def(
        "beyond_ascii",
        [](nb::object capsule, Task& task) {
            ArrowArrayStream* stream = stream_of(capsule);
            return hand_over(unlocked([&] { return beyond_ascii(Strings(stream).views(), task); }));
        },
        "stream"_a, "task"_a, "The places of the strings that hold a character beyond ASCII.");
}

}  // namespace

NB_MODULE(_kernels, m) {
    // After an interrupt a thread may still hold objects when the process ends: nothing that users should read about.
    nb::set_leak_warnings(false);
    m.doc() = "shoal's kernels: arrays in, arrays out.";
    bind_task(m);
    bind_types(m);
    bind_rows(m);
    bind_counts(m);
    bind_trees(m);
    bind_grouping(m);
    bind_judge(m);
    bind_text(m);
    bind_itemsets(m);
    bind_ssc(m);
    bind_reading(m);
    bind_grow(m);
    bind_vectors(m);
    bind_fields(m);
    bind_cuts(m);
    bind_attack(m);
    bind_band(m);
    bind_topics(m);
    bind_chunks(m);
    bind_queries(m);
    bind_senses(m);
}
