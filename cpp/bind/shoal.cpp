// Bindings of the shoal method's steps, and of the lower bound on loss.
#include <nanobind/nanobind.h>

#include "base/noise.hpp"
#include "base/wide_vectors.hpp"
#include "bind/values.hpp"
#include "loss_bound/loss_bound.hpp"
#include "lattice/leaves.hpp"
#include "lattice/split.hpp"
#include "group_search/grow.hpp"
#include "group_search/identical.hpp"
#include "group_search/join.hpp"
#include "group_search/refine.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

namespace {

void rising(std::span<const int64_t> numbers) {
    for (std::size_t i = 1; i < numbers.size(); ++i) need(numbers[i - 1] < numbers[i], "numbers that rise");
}

void filled(const GroupsView& groups) {
    for (int64_t g = 0; g < groups.size(); ++g) need(!groups[g].empty(), "groups that are not empty");
}

void bind_values(nb::module_& m) {
    nb::class_<BoundScored>(m, "Scored", "Records as tree counts in content order, with what scores need beside them.")
        .def(nb::init<const BoundRows&, I64, I64, I64, int64_t, int64_t, bool>(), "counts"_a, "lengths"_a, "owners"_a, "weights"_a,
             "units"_a, "k"_a, "owners_repeat"_a);
    nb::class_<GrowOptions>(m, "GrowOptions", "How groups are grown.")
        .def(
            "__init__",
            [](GrowOptions* self, int64_t candidates) {
                need(candidates >= 1, "at least one candidate");
                new (self) GrowOptions{candidates};
            },
            nb::kw_only(), "candidates"_a)
        .def_ro("candidates", &GrowOptions::candidates);
    nb::class_<RefineOptions>(m, "RefineOptions", "How groups are refined.")
        .def(
            "__init__",
            [](RefineOptions* self, int64_t neighbours, int64_t depth, int64_t together, int64_t worst, int64_t worth) {
                need(neighbours >= 1 && depth >= 1 && together >= 1, "neighbours, depth and groups in range");
                need(worst >= 0 && worst <= 100 && worth >= 0 && worth <= 1000, "shares in range");
                new (self) RefineOptions{neighbours, depth, together, worst, worth};
            },
            nb::kw_only(), "neighbours"_a, "depth"_a, "together"_a, "worst"_a, "worth"_a)
        .def_ro("neighbours", &RefineOptions::neighbours)
        .def_ro("depth", &RefineOptions::depth)
        .def_ro("together", &RefineOptions::together)
        .def_ro("worst", &RefineOptions::worst)
        .def_ro("worth", &RefineOptions::worth);
}

// A tree of cuts, each before those that come after it.
struct BoundCuts {
    I32 node, end;
    I64 at_least;
    I32 having, lacking;

    void check() const {
        const std::size_t n = node.shape(0);
        for (std::size_t size : {end.shape(0), at_least.shape(0), having.shape(0), lacking.shape(0)}) same_size(n, size);
        for (std::size_t i = 0; i < n; ++i)
            for (int32_t next : {span(having)[i], span(lacking)[i]})
                need(next < 0 || (next > static_cast<int64_t>(i) && next < static_cast<int64_t>(n)), "cuts that come after the one before");
    }
    CutTree view() const { return {span(node), span(end), span(at_least), span(having), span(lacking)}; }
};

void bind_ranges(nb::module_& m) {
    nb::class_<BoundCuts>(m, "CutTree", "Questions how much of a record lies below a node; -1 - l instead of a next one is leaf l.")
        .def(
            "__init__",
            [](BoundCuts* self, const I32& node, const I32& end, const I64& at_least, const I32& having, const I32& lacking) {
                const BoundCuts cuts{node, end, at_least, having, lacking};
                cuts.check();
                new (self) BoundCuts(cuts);
            },
            "node"_a, "end"_a, "at_least"_a, "having"_a, "lacking"_a);
    m.def(
        "leaves_of",
        [](const BoundRows& rows, const BoundCuts& cuts, int threads, Task& task) {
            return hand_over(unlocked([&] { return leaves_of(rows.view, cuts.view(), threads, task); }));
        },
        "rows"_a, "cuts"_a, "threads"_a, "task"_a, "The leaf of each record.");
    m.def(
        "content_hashes",
        [](const BoundRows& rows, int32_t alike, int threads, Task& task) {
            return hand_over(unlocked([&] { return content_hashes(rows.view, alike, threads, task); }));
        },
        "rows"_a, "alike"_a, "threads"_a, "task"_a, "A hash of each record, in which ids from `alike` on are the same.");
}

void bind_plan(nb::module_& m) {
    nb::class_<Coordinates>(m, "Coordinates", "Where records or groups lie, for cutting them into blocks of similar ones.")
        .def("__len__", &Coordinates::size);
    m.def(
        "coordinates",
        [](const BoundRows& counts, I64 lengths, I64 weights, int64_t units, int threads, Task& task) {
            const Rows& in = counts.below(weights.shape(0));
            need(lengths.shape(0) == counts.size() && units >= 1, "one length per row, and units of one or more");
            return unlocked([&] { return coordinates(in, span(lengths), span(weights), units, threads, task); });
        },
        "counts"_a, "lengths"_a, "weights"_a, "units"_a, "threads"_a, "task"_a);
    m.def(
        "split_blocks",
        [](const Coordinates& at, I64 chosen, int64_t size, uint64_t round, int threads, Task& task) {
            indices_within(span(chosen), at.size());
            rising(span(chosen));
            need(size >= 1, "blocks of one or more");
            auto blocks = unlocked([&] {
                return split_blocks(at, {span(chosen).begin(), span(chosen).end()}, size, round, threads, task);
            });
            std::vector<Array64> out;
            for (auto& block : blocks) out.push_back(hand_over(std::move(block)));
            return out;
        },
        "at"_a, "chosen"_a, "size"_a, "round"_a, "threads"_a, "task"_a,
        "Blocks of about `size` of the chosen things, each in rising order; another round cuts elsewhere.");
    m.def(
        "use_wide_vectors", [](bool wanted) { return wide_vectors = wanted && has_wide_vectors(); }, "wanted"_a,
        "Whether sketches are compared with vectors of 32 bytes from now on: what is found is the same. False where the processor lacks "
        "them.");
    m.def("noise", &noise, "a"_a, "b"_a, "c"_a, "A number that looks random and is the same wherever it is asked for.");
}

void bind_groups(nb::module_& m) {
    m.def(
        "identical_groups",
        [](const BoundScored& records, I64 kind, I64 times, Task& task) {
            need(kind.shape(0) == records.counts.size(), "one kind per record");
            indices_within(span(kind), static_cast<int64_t>(times.shape(0)));
            IdenticalGroups found = unlocked([&] { return identical_groups(records.data, span(kind), span(times), task); });
            return std::pair(hand_over(std::move(found.groups)), hand_over(std::move(found.rest)));
        },
        "records"_a, "kind"_a, "times"_a, "task"_a, "Full groups of identical records, and the records in none of them.");
    m.def(
        "meet_counts",
        [](const BoundScored& records, I64 starts, I64 members, Task& task) {
            const GroupsView groups = groups_within(starts, members, records.counts.size());
            filled(groups);
            return hand_over(unlocked([&] { return meets_of(records.data.counts, groups, task); }));
        },
        "records"_a, "starts"_a, "members"_a, "task"_a, "The least tree counts of each group, as rows.");
    m.def(
        "grow_block",
        [](const BoundScored& records, I64 block, const GrowOptions& options, Task& task) {
            indices_within(span(block), records.data.size());
            GrownBlock grown = unlocked([&] { return grow_block(records.data, span(block), options, task); });
            return std::pair(hand_over(std::move(grown.groups)), hand_over(std::move(grown.left)));
        },
        "records"_a, "block"_a, "options"_a, "task"_a, "Groups of k people out of the records of a block, and those left over.");
    m.def(
        "join_leftovers",
        [](const BoundScored& records, const BoundRows& meets, I64 sizes, I64 left, Task& task) {
            const Rows& in = meets.below(records.weights.shape(0));
            need(sizes.shape(0) == meets.size() && sizes.shape(0) > 0, "one size per group, and a group");
            indices_within(span(left), records.data.size());
            return hand_over(unlocked([&] { return join_leftovers(records.data, in, span(sizes), span(left), task); }));
        },
        "records"_a, "meets"_a, "sizes"_a, "left"_a, "task"_a, "The group that each record left over joins.");
    m.def(
        "refine_block",
        [](const BoundScored& records, I64 starts, I64 members, const RefineOptions& options, uint64_t shake, double seconds, Task& task) {
            const GroupsView groups = groups_within(starts, members, records.counts.size());
            filled(groups);
            RefinedBlock refined = unlocked([&] { return refine_block(records.data, groups, options, shake, Deadline(seconds), task); });
            return std::pair(hand_over(std::move(refined.groups)), refined.changes);
        },
        "records"_a, "starts"_a, "members"_a, "options"_a, "shake"_a, "seconds"_a, "task"_a,
        "Better groups of the same records, and how many changes led there. It stops after so many seconds; below zero: when done.");
}

void bind_bound(nb::module_& m) {
    nb::class_<BoundOptions>(m, "BoundOptions", "How much work the lower bound on loss is worth.")
        .def(
            "__init__",
            [](BoundOptions* self, int64_t neighbours, int64_t patience, bool ceilings, int64_t work) {
                need(neighbours >= 1 && neighbours <= 64, "1 to 64 neighbours");
                need(patience >= 0, "a patience that is not negative");
                need(work >= 0 && (work == 0 || ceilings), "steps that are not negative, and only with ceilings");
                new (self) BoundOptions{neighbours, patience, ceilings, work};
            },
            nb::kw_only(), "neighbours"_a, "patience"_a, "ceilings"_a, "work"_a);
    m.def(
        "unavoidable_losses",
        [](const BoundScored& records, I64 asked, const BoundOptions& options, int threads, Task& task) {
            const int64_t k = records.data.k;
            indices_within(span(asked), records.data.size());
            need(k >= 2 && options.neighbours >= k, "k of two or more, and k neighbours");
            need(!options.ceilings || asked.shape(0) == records.counts.size(), "all records asked for where ceilings are lowered");
            return hand_over(unlocked([&] {
                const OwnedRows reached = reachable_counts(records.data.counts, records.data.nodes(), k);
                Scored data = records.data;
                data.counts = reached.view();
                return unavoidable_losses(data, span(asked), options, threads, task);
            }));
        },
        "records"_a, "asked"_a, "options"_a, "threads"_a, "task"_a,
        "For each record asked for, twice what it must lose in any k-anonymous release.");
}

}  // namespace

void bind_grow(nb::module_& m) {
    bind_values(m);
    bind_ranges(m);
    bind_plan(m);
    bind_groups(m);
    bind_bound(m);
}
