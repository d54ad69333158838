// Bindings of the semantic kernels: term set distances, clustering by them, and closed patterns.
#include <nanobind/stl/vector.h>

#include "bind/values.hpp"
#include "itemsets/closed.hpp"
#include "semantic/represent.hpp"
#include "semantic/typical.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

namespace {

// Holds on to the arrays that a measure of terms looks at.
struct Measure {
    I32 parent, end;
    I64 level;
    TermDistance terms;

    Measure(I32 parent_, I32 end_, I64 level_, bool wu_palmer, int64_t units, int64_t eps, int64_t omega)
        : parent(parent_), end(end_), level(level_), terms{span(parent), span(end), span(level), wu_palmer, units, eps, omega} {
        preorder(span(parent), span(end));
        same_size(parent.shape(0), level.shape(0));
        levels();
        need(units > 0 && eps >= 0 && omega >= 0, "a measure that is not negative");
    }

    int64_t nodes() const { return static_cast<int64_t>(parent.shape(0)); }
    const Rows& checked(const BoundRows& rows) const { return rows.on_tree(parent.shape(0)); }

private:
    // The root is on level 1 and every node one below its parent, or far below it if nothing is known of it; then it is a leaf.
    void levels() const {
        need(terms.level[0] == 1, "a root on level 1");
        for (int32_t v = 1; v < static_cast<int32_t>(parent.shape(0)); ++v) {
            const int64_t drop = terms.level[v] - terms.level[terms.parent[v]];
            need(drop == 1 ? terms.level[v] < kFar : drop >= kFar && terms.end[v] == v + 1, "levels that fit the tree");
        }
    }
};

void bind_matching(nb::module_& m) {
    m.attr("FAR") = kFar;
    m.attr("UNRELATED") = kUnrelated;
    nb::class_<Measure>(m, "Measure", "How far terms lie apart on a tree.")
        .def(nb::init<I32, I32, I64, bool, int64_t, int64_t, int64_t>(), "parent"_a, "end"_a, "level"_a, "wu_palmer"_a, "units"_a, "eps"_a,
             "omega"_a);
    m.def(
        "term_distances",
        [](const Measure& measure, I32 left, I32 right, Task&) {
            need(left.shape(0) == right.shape(0), "as many left terms as right terms");
            for (const auto& side : {span(left), span(right)})
                for (int32_t v : side) need(v >= 0 && v < measure.nodes(), "terms below the number of nodes");
            return hand_over(unlocked([&] { return term_distances(span(left), span(right), measure.terms); }));
        },
        "measure"_a, "left"_a, "right"_a, "task"_a);
    m.def(
        "term_set_distances",
        [](const Measure& measure, const BoundRows& rows, const BoundRows& others, I64 left, I64 right, int way, int threads, Task& task) {
            const Rows &a = measure.checked(rows), &b = measure.checked(others);
            need(left.shape(0) == right.shape(0), "as many left rows as right rows");
            need(way >= 0 && way <= 3, "a known way");
            indices_within(span(left), a.size());
            indices_within(span(right), b.size());
            return hand_over(unlocked(
                [&] { return term_set_distances(a, b, span(left), span(right), measure.terms, static_cast<Way>(way), threads, task); }));
        },
        "measure"_a, "rows"_a, "others"_a, "left"_a, "right"_a, "way"_a, "threads"_a, "task"_a);
    m.def(
        "nearest_distances",
        [](const Measure& measure, const BoundRows& rows, const BoundRows& others, int threads, Task& task) {
            const Rows &a = measure.checked(rows), &b = measure.checked(others);
            need(b.size() > 0, "a row to be near to");
            return hand_over(unlocked([&] { return nearest_distances(a, b, measure.terms, threads, task); }));
        },
        "measure"_a, "rows"_a, "others"_a, "threads"_a, "task"_a);
}

// Centres as arrays: bags per cluster, copies per bag, and the terms of each bag in the order the members joined.
std::tuple<Array64, Array32, Array64, Array32> hand_over_centres(const std::vector<Centre>& centres) {
    std::vector<int64_t> bag_start{0}, term_start{0};
    std::vector<int32_t> copies, terms;
    for (const Centre& c : centres) {
        for (const HyperTerm& b : c.bags) {
            copies.push_back(b.copies);
            terms.insert(terms.end(), b.terms.begin(), b.terms.end());
            term_start.push_back(static_cast<int64_t>(terms.size()));
        }
        bag_start.push_back(static_cast<int64_t>(copies.size()));
    }
    return std::tuple(hand_over(std::move(bag_start)), hand_over(std::move(copies)), hand_over(std::move(term_start)),
                      hand_over(std::move(terms)));
}

void bind_clustering(nb::module_& m) {
    nb::class_<Clusters>(m, "TermSetClusters", "Clusters of term sets and their centres.")
        .def_prop_ro(
            "group", [](Clusters& c) { return hand_over(std::vector<int64_t>(c.group)); }, nb::rv_policy::move)
        .def_prop_ro(
            "centres", [](const Clusters& c) { return hand_over_centres(c.centres); }, nb::rv_policy::move)
        .def_ro("members", &Clusters::members)
        .def_ro("matched", &Clusters::matched)
        .def("__len__", [](const Clusters& c) { return c.centres.size(); });
    const auto with = [](auto clustering) {
        return [clustering](const Measure& measure, const BoundRows& rows, I64 order, I64 owner, int64_t k, int64_t promising, Task& task) {
            const Rows& in = measure.checked(rows);
            same_size(order.shape(0), owner.shape(0));
            permutation(span(order), in.size());
            indices_within(span(owner), in.size());
            need(k >= 1, "a positive k");
            need(promising >= 0 && promising <= 100, "a percentage");
            return unlocked([&] { return clustering(in, span(order), span(owner), measure.terms, k, promising, task); });
        };
    };
    m.def("cluster_term_sets", with(cluster_term_sets), "measure"_a, "rows"_a, "order"_a, "owner"_a, "k"_a, "promising"_a, "task"_a);
    m.def("cluster_by_matched_terms", with(cluster_by_matched_terms), "measure"_a, "rows"_a, "order"_a, "owner"_a, "k"_a, "promising"_a,
          "task"_a);
    m.def(
        "joined_centre",
        [](const Measure& measure, const BoundRows& rows, I64 members, Task&) {
            const Rows& in = measure.checked(rows);
            indices_within(span(members), in.size());
            need(members.shape(0) > 0, "a member");
            std::vector<int64_t> distances;
            std::vector<Centre> centre{unlocked([&] { return joined_centre(in, span(members), measure.terms, distances); })};
            return std::tuple(hand_over_centres(centre), hand_over(std::move(distances)));
        },
        "measure"_a, "rows"_a, "members"_a, "task"_a);
    m.def(
        "nearest_term_sets",
        [](const Measure& measure, const BoundRows& rows, I64 wanted, Task& task) {
            const Rows& in = measure.checked(rows);
            indices_within(span(wanted), in.size());
            return hand_over(unlocked([&] { return nearest_term_sets(in, span(wanted), measure.terms, task); }));
        },
        "measure"_a, "rows"_a, "wanted"_a, "task"_a);
}

void bind_typical(nb::module_& m) {
    nb::class_<TypicalOptions>(m, "TypicalOptions", "What is published of a cluster.")
        .def(
            "__init__",
            [](TypicalOptions* self, int typical, int64_t min_owners, bool generalize_rare) {
                need(typical >= 0 && typical <= 2, "a known kind of typical term set");
                new (self) TypicalOptions{static_cast<Typical>(typical), min_owners, generalize_rare};
            },
            nb::kw_only(), "typical"_a, "min_owners"_a, "generalize_rare"_a);
    nb::class_<TypicalTermSets>(m, "TypicalTermSets", "What is published, and what became of the matched occurrences.")
        .def_prop_ro(
            "rows", [](TypicalTermSets& t) { return hand_over(OwnedRows(t.rows)); }, nb::rv_policy::move)
        .def_ro("kept", &TypicalTermSets::kept)
        .def_ro("replaced", &TypicalTermSets::replaced)
        .def_ro("generalized", &TypicalTermSets::generalized);
    m.def(
        "typical_term_sets",
        [](const Measure& measure, const Clusters& clusters, const BoundRows& rows, I64 owner, const TypicalOptions& options,
           U8 publishable, Task& task) {
            const Rows& in = measure.checked(rows);
            need(static_cast<int64_t>(publishable.shape(0)) == measure.nodes(), "one mark per node");
            need(static_cast<int64_t>(clusters.group.size()) == in.size() && owner.shape(0) == clusters.group.size(),
                 "the clustered records");
            for (const Centre& centre : clusters.centres)
                for (const HyperTerm& bag : centre.bags)
                    for (int32_t term : bag.terms) need(term < measure.nodes(), "clusters of terms on the same tree");
            return unlocked([&] { return typical_term_sets(clusters, in, span(owner), measure.terms, options, span(publishable), task); });
        },
        "measure"_a, "clusters"_a, "rows"_a, "owner"_a, "options"_a, "publishable"_a, "task"_a);
}

void bind_patterns(nb::module_& m) {
    m.def(
        "top_closed",
        [](const BoundRows& rows, I64 weight, int64_t n, int64_t shortest, Task& task) {
            const Rows& in = rows.view;
            need(static_cast<int64_t>(weight.shape(0)) == in.size() && n >= 0 && shortest >= 0, "one weight per record");
            not_negative(span(weight));
            ClosedPatterns found = unlocked([&] { return top_closed(in, span(weight), n, shortest, task); });
            return std::tuple(hand_over(std::move(found.patterns)), hand_over(std::move(found.support)));
        },
        "rows"_a, "weight"_a, "n"_a, "shortest"_a, "task"_a);
    m.def(
        "represent",
        [](const Measure& measure, const BoundRows& rows, const BoundRows& others, I64 row, Task& task) {
            const Rows &a = measure.checked(rows), &b = measure.checked(others);
            need(static_cast<int64_t>(row.shape(0)) == a.size(), "one published row per record");
            for (int64_t r : span(row)) need(r >= -1 && r < b.size(), "published rows that exist");
            Representation found = unlocked([&] { return represent(a, b, span(row), measure.terms, task); });
            return std::tuple(hand_over(std::move(found.row)), hand_over(std::move(found.published)), hand_over(std::move(found.original)),
                              hand_over(std::move(found.times)));
        },
        "measure"_a, "rows"_a, "others"_a, "row"_a, "task"_a);
}

}  // namespace

void bind_ssc(nb::module_& m) {
    bind_matching(m);
    bind_clustering(m);
    bind_typical(m);
    bind_patterns(m);
}
