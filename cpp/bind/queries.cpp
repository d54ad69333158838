// Bindings of the kernels on queries: the owners of their units, and people as trees of queries.
#include <algorithm>

#include "bind/bindings.hpp"
#include "queries/trees.hpp"
#include "queries/unit_owners.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

namespace {

void spans_all(const I64& indptr, std::size_t n) {
    need(indptr.shape(0) >= 1, "indptr not empty");
    const auto starts = span(indptr);
    need(starts.front() == 0 && starts.back() == static_cast<int64_t>(n), "indptr to span all entries");
    for (std::size_t i = 1; i < starts.size(); ++i) need(starts[i - 1] <= starts[i], "indptr to rise");
}

void within_scale(std::span<const int32_t> values) {
    for (int32_t v : values) need(v >= kUnknown && v <= kApart, "values on the scale of distances, or unknown ones");
}

// Holds on to the arrays of the texts.
struct BoundTexts {
    I64 indptr;
    I32 parts;
    Texts view;

    BoundTexts(I64 indptr_, I32 parts_, bool letters) : indptr(indptr_), parts(parts_), view(checked(indptr, parts, letters)) {}

private:
    static Texts checked(const I64& indptr, const I32& parts, bool letters) {
        spans_all(indptr, parts.shape(0));
        for (int32_t v : span(parts)) need(v >= 0, "words or letters from 0 on");
        Texts texts(span(indptr), span(parts), letters);
        for (int32_t t = 0; !letters && t < static_cast<int32_t>(texts.size()); ++t) {
            int32_t last = -1;
            for (int32_t part : texts.of(t)) {
                need(part > last, "words that rise within a text");
                last = part;
            }
        }
        return texts;
    }
};

// Holds on to the arrays of the trees.
struct BoundTrees {
    I64 queries;
    I32 text, time;
    I64 clicks;
    I32 rank, host;

    BoundTrees(I64 queries_, I32 text_, I32 time_, I64 clicks_, I32 rank_, I32 host_)
        : queries(queries_), text(text_), time(time_), clicks(clicks_), rank(rank_), host(host_) {
        spans_all(queries, text.shape(0));
        spans_all(clicks, rank.shape(0));
        same_size(text.shape(0), time.shape(0));
        same_size(text.shape(0) + 1, clicks.shape(0));
        same_size(rank.shape(0), host.shape(0));
        within_scale(span(time));
        within_scale(span(rank));
    }

    QueryTrees below(int64_t texts) const {
        for (int32_t t : span(text)) {
            need(t >= 0 && t < texts, "texts that are there");
        }
        return {span(queries), span(text), span(time), span(clicks), span(rank), span(host)};
    }
};

// Texts and trees must live as long.
struct BoundPeople {
    const Texts& texts;
    ComparedPeople people;

    BoundPeople(const BoundTexts& texts_, const BoundTrees& trees, const TreeWeights& weights)
        : texts(texts_.view), people(texts, trees.below(texts.size()), weights) {}

    Array64 distances(const BoundTrees& point, I64 chosen, Task& task) const {
        const QueryTrees one = point.below(texts.size());
        need(one.size() == 1, "a point that is one person");
        return compared(one, 0, chosen, task);
    }
    Array64 distances_from(int64_t person, I64 chosen, Task& task) const {
        need(person >= 0 && person < people.size(), "a person who is there");
        return compared(people.trees(), person, chosen, task);
    }

private:
    Array64 compared(const QueryTrees& points, int64_t person, const I64& chosen, Task& task) const {
        indices_within(span(chosen), people.size());
        return hand_over(unlocked([&] { return people.distances(points, person, span(chosen), task); }));
    }
};

void sum_to_apart(const TreeWeights& w) {
    for (int64_t weight : {w.text, w.time, w.clicks, w.rank, w.host}) need(weight >= 0, "weights that are not negative");
    need(w.text + w.time + w.clicks == kApart && w.rank + w.host == kApart, "weights that add up to APART");
}

void bind_unit_owners(nb::module_& m) {
    m.def(
        "unit_owners",
        [](I32 query, I64 owner, I64 starts, I32 units, int64_t n_units, int64_t few, Task& task) {
            need(query.shape(0) == owner.shape(0), "an owner for every row");
            need(starts.shape(0) >= 1, "where the units of queries begin");
            group_starts(span(starts), units.shape(0));
            indices_within(span(query), static_cast<int64_t>(starts.shape(0)) - 1);
            indices_within(span(units), n_units);
            need(std::ranges::is_sorted(span(owner)), "owners that rise");
            indices_within(span(owner), std::numeric_limits<int32_t>::max());
            UnitOwners found = unlocked([&] { return unit_owners({span(query), span(owner), span(starts), span(units)}, n_units, few, task); });
            return std::tuple(hand_over(std::move(found.count)), hand_over(std::move(found.starts)), hand_over(std::move(found.owners)));
        },
        "query"_a, "owner"_a, "starts"_a, "units"_a, "n_units"_a, "few"_a, "task"_a,
        "The number of owners of each unit, and the owners of units with few of them: where those of each begin, and who they are.");
    m.def(
        "owner_classes",
        [](I32 query, I64 owner, U8 class_of, int64_t n_classes, int64_t n_owners, Task& task) {
            need(query.shape(0) == owner.shape(0), "an owner for every row");
            indices_within(span(query), static_cast<int64_t>(class_of.shape(0)));
            indices_within(span(owner), n_owners);
            for (uint8_t number : span(class_of)) need(number < n_classes, "classes that are there");
            return hand_over(unlocked([&] { return owner_classes(span(query), span(owner), span(class_of), n_classes, n_owners, task); }));
        },
        "query"_a, "owner"_a, "class_of"_a, "n_classes"_a, "n_owners"_a, "task"_a,
        "For each owner and each class whether the owner has a row with a query of this class.");
}

}  // namespace

void bind_queries(nb::module_& m) {
    bind_unit_owners(m);
    m.attr("APART") = kApart;
    nb::class_<BoundTexts>(m, "QueryTexts", "Texts of queries as words, or as letters.")
        .def(nb::init<I64, I32, bool>(), "indptr"_a, "parts"_a, "letters"_a);
    nb::class_<BoundTrees>(m, "QueryTrees", "People as trees of queries with a text, a time and clicks.")
        .def(nb::init<I64, I32, I32, I64, I32, I32>(), "queries"_a, "text"_a, "time"_a, "clicks"_a, "rank"_a, "host"_a);
    nb::class_<TreeWeights>(m, "TreeWeights", "What counts in the distance of two people, in shares of APART.")
        .def(
            "__init__",
            [](TreeWeights* self, int64_t text, int64_t time, int64_t clicks, int64_t rank, int64_t host) {
                const TreeWeights weights{text, time, clicks, rank, host};
                sum_to_apart(weights);
                new (self) TreeWeights(weights);
            },
            "text"_a, "time"_a, "clicks"_a, "rank"_a, "host"_a);
    nb::class_<BoundPeople>(m, "ComparedPeople", "People prepared for being compared with many points.")
        .def(nb::init<const BoundTexts&, const BoundTrees&, const TreeWeights&>(), "texts"_a, "people"_a, "weights"_a, nb::keep_alive<1, 2>(),
             nb::keep_alive<1, 3>())
        .def("distances", &BoundPeople::distances, "point"_a, "chosen"_a, "task"_a,
             "How far the only person of a point lies from each of these.")
        .def("distances_from", &BoundPeople::distances_from, "person"_a, "chosen"_a, "task"_a,
             "How far one of the people lies from each of these.");
}
