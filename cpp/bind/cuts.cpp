// Kernels of k^m-anonymity for Python: global and local recoding along a taxonomy, and steps of publishing from below.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string_view>

#include "bind/values.hpp"
#include "cuts/apriori.hpp"
#include "cuts/descend.hpp"
#include "cuts/from_below.hpp"
#include "cuts/lower.hpp"
#include "cuts/rare_pairs.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

namespace {

// Where a recoding begins: with rare sets generalized size by size or all at once, or with everything at the root.
enum class Start { by_size, at_once, root };

// What is asked for, and which steps lead there.
struct RecodingPlan {
    int64_t k, m, suppressed;
    Start start;
    bool undo, suppress, local;
};

void begin(Cut& cut, Start start, Task& task) {
    if (start == Start::root)
        cut.merge(0);
    else
        generalize_rare_sets(cut, start == Start::by_size, task);
}

std::vector<int32_t> recode(const RecodingProblem& problem, const RecodingPlan& plan, Task& task) {
    Tokens tokens(problem);
    Cut cut(tokens);
    begin(cut, plan.start, task);
    if (plan.undo) descend(cut, plan.suppress, task);
    if (plan.local) lower(tokens, task);
    return tokens.published();
}

Start start_named(std::string_view name) {
    if (name == "by size") return Start::by_size;
    if (name == "at once") return Start::at_once;
    need(name == "root", "a start by size, at once or at the root");
    return Start::root;
}

// Rows with fewer than 2^31 records, of owners that follow one another.
const Rows& owned_rows(const BoundRows& rows, const I64& owners, std::size_t nodes) {
    const Rows& in = rows.below(nodes);
    need(in.size() <= std::numeric_limits<int32_t>::max(), "at most 2,147,483,647 records");
    need(owners.shape(0) == 0 || static_cast<int64_t>(owners.shape(0)) == in.size(), "an owner for every record, or none at all");
    for (std::size_t i = 1; i < owners.shape(0); ++i) need(owners.data()[i - 1] <= owners.data()[i], "records sorted by owner");
    return in;
}

void nodes_within(std::span<const int32_t> nodes, std::size_t n) {
    for (int32_t node : nodes) need(node >= 0 && node < static_cast<int64_t>(n), "nodes that have a number");
}

// Sets of nodes, and which records hold which of them.
RareFound rare_found(const I64& start, const I32& nodes, const I32& record, const I32& set) {
    group_starts(span(start), nodes.shape(0));
    same_size(record.shape(0), set.shape(0));
    RareFound found;
    for (std::size_t i = 1; i < start.shape(0); ++i)
        found.sets.add(span(nodes).subspan(start.data()[i - 1], start.data()[i] - start.data()[i - 1]));
    for (std::size_t i = 0; i < record.shape(0); ++i) {
        need(set.data()[i] >= 0 && static_cast<std::size_t>(set.data()[i]) < found.sets.size(), "sets that are there");
        need(record.data()[i] >= 0, "records from 0");
        found.holdings.push_back({record.data()[i], set.data()[i]});
    }
    return found;
}

std::vector<int64_t> sets_of_nodes(const RareFound& found, std::size_t nodes) {
    std::vector<int64_t> out(nodes, 0);
    nodes_within(found.sets.nodes(), nodes);
    for (int32_t node : found.sets.nodes()) ++out[node];
    return out;
}

bool has_sets_of_several(const RareFound& found) {
    return found.sets.nodes().size() > found.sets.size();  // none is empty
}

Array8 give_up(const I64& begins, const I32& shown, const U8& fresh, RareFound& found, const I64& everywhere, Task& task) {
    group_starts(span(begins), shown.shape(0));
    need(span(begins).front() == 0 && span(begins).back() == static_cast<int64_t>(shown.shape(0)), "records that hold all places");
    same_size(shown.shape(0), fresh.shape(0));
    for (int32_t node : span(shown)) need(node < static_cast<int64_t>(everywhere.shape(0)), "nodes that have a number");
    nodes_within(found.sets.nodes(), everywhere.shape(0));
    for (const auto& held : found.holdings) need(held.record < static_cast<int64_t>(begins.shape(0)) - 1, "records that are there");
    return hand_over(unlocked([&] { return given_up({span(begins), span(shown), span(fresh)}, found, span(everywhere), task); }));
}

// Records that publish something, with the arrays that they read.
struct BoundPublished {
    BoundRows rows;
    I64 owners;
    PublishedRecords records;

    BoundPublished(const BoundRows& rows_, I64 owners_, std::size_t nodes, int64_t k, int64_t m)
        : rows(rows_), owners(std::move(owners_)), records(owned_rows(rows, owners, nodes), span(owners), nodes, k, m) {
        need(k >= 1 && m >= 1, "k and m of at least 1");
    }

    void publish(const I64& places, const I32& nodes) {
        same_size(places.shape(0), nodes.shape(0));
        std::vector<Move> moves;
        for (std::size_t i = 0; i < places.shape(0); ++i) {
            const int64_t place = places.data()[i], last = i == 0 ? -1 : places.data()[i - 1];
            need(place > last && place < static_cast<int64_t>(rows.view.ids.size()), "places that rise and are there");
            need(nodes.data()[i] >= no_node && nodes.data()[i] < static_cast<int64_t>(records.nodes()), "nodes that have a number");
            moves.push_back({place, nodes.data()[i]});
        }
        unlocked([&] { records.publish(moves); });
    }

    RareFound rare_sets(const I32& changed, Task& task) {
        nodes_within(span(changed), records.nodes());
        return unlocked([&] { return records.rare_sets(span(changed), task); });
    }

    std::tuple<Array8, bool> give_up_pairs(const I32& shown, const U8& fresh, const I32& changed, int64_t batch, Task& task) {
        nodes_within(span(changed), records.nodes());
        same_size(shown.shape(0), rows.view.ids.size());
        same_size(fresh.shape(0), rows.view.ids.size());
        need(records.most() <= 2 && batch >= 1, "sets of at most two nodes, and a batch of at least one");
        for (std::size_t i = 0; i < shown.shape(0); ++i)
            need(shown.data()[i] == records.at(static_cast<int64_t>(i)), "nodes as they were published");
        const ShownPlaces places{rows.view.indptr, span(shown), span(fresh)};
        GivenUp found = unlocked([&] { return RarePairs(records.tokens(), batch).give_up(places, span(changed), task); });
        return {hand_over(std::move(found.gone)), found.pairs};
    }
};

void bind_from_below(nb::module_& m) {
    nb::class_<RareFound>(m, "RareSets", "Sets of nodes that too few people hold, and the records that hold them.")
        .def(
            "__init__",
            [](RareFound* self, I64 start, I32 nodes, I32 record, I32 set) { new (self) RareFound(rare_found(start, nodes, record, set)); },
            "start"_a, "nodes"_a, "record"_a, "set"_a)
        .def_prop_ro("of_several", &has_sets_of_several, "Whether some set has two nodes or more.")
        .def(
            "of_each_node", [](const RareFound& self, std::size_t nodes) { return hand_over(sets_of_nodes(self, nodes)); }, "nodes"_a,
            "How many of the sets hold each node.");
    nb::class_<BoundPublished>(m, "PublishedRecords", "What records publish, kept for the search of rare sets; nothing at first.")
        .def(nb::init<const BoundRows&, I64, std::size_t, int64_t, int64_t>(), "rows"_a, "owners"_a, "nodes"_a, "k"_a, "m"_a)
        .def("publish", &BoundPublished::publish, "places"_a, "nodes"_a, "Publish other nodes, or -1 for nothing, at some places.")
        .def("rare_sets", &BoundPublished::rare_sets, "changed"_a, "task"_a, "The minimal rare sets with one of these nodes.")
        .def("give_up_pairs", &BoundPublished::give_up_pairs, "shown"_a, "fresh"_a, "changed"_a, "batch"_a, "task"_a,
             "What records give up because of rare nodes and pairs with one of these nodes, and whether there is such a pair.");
    m.def("give_up", &give_up, "begins"_a, "shown"_a, "fresh"_a, "rare"_a, "everywhere"_a, "task"_a);
}

}  // namespace

void bind_cuts(nb::module_& m) {
    nb::class_<RecodingPlan>(m, "RecodingPlan", "How many people must hold any set of how many items, and which steps lead there.")
        .def(
            "__init__",
            [](RecodingPlan* self, int64_t k, int64_t m, int64_t suppressed, const char* start, bool undo, bool suppress, bool local) {
                need(k >= 1 && m >= 1 && suppressed >= 1, "k, m and the loss of a suppressed item of at least 1");
                new (self) RecodingPlan{k, m, suppressed, start_named(start), undo, suppress, local};
            },
            nb::kw_only(), "k"_a, "m"_a, "suppressed"_a, "start"_a, "undo"_a, "suppress"_a, "local"_a);
    m.def(
        "recode_rare_sets",
        [](const BoundRows& rows, I64 owners, const BoundTree& tree, I64 loss, U8 publishable, const RecodingPlan& plan, Task& task) {
            same_size(loss.shape(0), tree.size());
            same_size(publishable.shape(0), tree.size());
            const Rows& in = owned_rows(rows, owners, tree.size());
            not_negative(span(loss));
            const RecodingProblem problem{in, span(owners), tree.view(), span(loss), span(publishable), plan.suppressed, plan.k, plan.m};
            return hand_over(unlocked([&] { return recode(problem, plan, task); }));
        },
        "rows"_a, "owners"_a, "tree"_a, "loss"_a, "publishable"_a, "plan"_a, "task"_a);
    bind_from_below(m);
}
