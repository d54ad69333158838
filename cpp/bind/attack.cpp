// The index with which attacks find the published rows that match what is known about people, for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "attack/match_index.hpp"
#include "bind/values.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

namespace {

// The index with the arrays that it reads.
struct BoundMatchIndex {
    BoundRows published;
    I32 parent;
    I64 weights, copies;
    MatchIndex index;

    BoundMatchIndex(const BoundRows& published_, I32 parent_, I64 weights_, I64 copies_)
        : published(published_), parent(std::move(parent_)), weights(std::move(weights_)), copies(std::move(copies_)),
          index(checked(), span(parent), span(weights), span(copies)) {}

    const Rows& checked() const {
        same_size(parent.shape(0), weights.shape(0));
        same_size(published.size(), copies.shape(0));
        need(published.size() < std::numeric_limits<int32_t>::max(), "fewer than 2,147,483,647 rows");
        lower_numbers(span(parent), 0);
        not_negative(span(weights));
        not_negative(span(copies));
        return published.below(parent.shape(0));
    }
};

// Lists of numbers, with the arrays that hold them.
struct BoundLists {
    I64 indptr;
    I32 values;

    BoundLists(I64 indptr_, I32 values_) : indptr(std::move(indptr_)), values(std::move(values_)) {
        group_starts(span(indptr), values.shape(0));
    }
    // Lists of numbers below n.
    NumberLists below(int64_t n) const {
        for (int32_t v : span(values)) need(v >= 0 && v < n, "numbers of nodes or rows that are there");
        return {span(indptr), span(values)};
    }
};

// What is known about several people, with the arrays that hold it.
struct BoundKnowledge {
    BoundLists items;
    I32 counts;
    I64 own;
    BoundLists absent, mine, possible;
    bool limited;

    Knowledge within(const MatchIndex& index) const {
        same_size(items.values.shape(0), counts.shape(0));
        same_size(items.values.shape(0), own.shape(0));
        for (const BoundLists* other : {&absent, &mine, &possible}) same_size(items.indptr.shape(0), other->indptr.shape(0));
        return {items.below(index.nodes()), span(counts), span(own), absent.below(index.nodes()), mine.below(index.rows()),
                possible.below(index.rows()), limited};
    }
};

}  // namespace

void bind_attack(nb::module_& m) {
    nb::class_<BoundMatchIndex>(m, "MatchIndex", "Published rows by the nodes that they hold, with the weights of nodes.")
        .def(nb::init<const BoundRows&, I32, I64, I64>(), "published"_a, "parent"_a, "weights"_a, "copies"_a);
    nb::class_<BoundLists>(m, "NumberLists", "List i is values[indptr[i]:indptr[i + 1]].")
        .def(nb::init<I64, I32>(), "indptr"_a, "values"_a);
    nb::class_<BoundKnowledge>(m, "Knowledge", "Items that people have or lack, and their rows.")
        .def(
            "__init__",
            [](BoundKnowledge* self, const BoundLists& items, I32 counts, I64 own, const BoundLists& absent, const BoundLists& mine,
               const BoundLists& possible, bool limited) {
                new (self) BoundKnowledge{items, counts, own, absent, mine, possible, limited};
            },
            nb::kw_only(), "items"_a, "counts"_a, "own"_a, "absent"_a, "mine"_a, "possible"_a, "limited"_a);
    m.def(
        "best_matches",
        [](const BoundMatchIndex& index, const BoundKnowledge& known, bool with_rows, int threads, Task& task) {
            const Knowledge told = known.within(index.index);
            BestMatches found = unlocked([&] { return index.index.best(told, with_rows, threads, task); });
            return std::make_tuple(hand_over(std::move(found.top)), hand_over(std::move(found.second)), hand_over(std::move(found.copies)),
                                   hand_over(std::move(found.among)), hand_over(std::move(found.sum)), hand_over(std::move(found.square)),
                                   hand_over(std::move(found.indptr)), hand_over(std::move(found.rows)));
        },
        "index"_a, "known"_a, "with_rows"_a, "threads"_a, "task"_a);
    m.def(
        "possible_rows",
        [](const BoundMatchIndex& index, const BoundRows& records, int threads, Task& task) {
            const Rows& in = records.below(index.parent.shape(0));
            return hand_over(unlocked([&] { return index.index.possible(in, threads, task); }));
        },
        "index"_a, "records"_a, "threads"_a, "task"_a);
}
