// Bindings of the papers' grouping methods.
#include "bind/values.hpp"
#include "grouping/clump.hpp"
#include "grouping/partition.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

namespace {

void bind_clump(nb::module_& m) {
    nb::class_<ClumpOptions>(m, "ClumpOptions", "How Clump assigns records.")
        .def(
            "__init__",
            [](ClumpOptions* self, int64_t r, bool total, bool by_length) {
                need(r >= 1, "r of one or more");
                new (self) ClumpOptions{r, total, by_length};
            },
            nb::kw_only(), "r"_a, "total"_a, "by_length"_a = false);
    m.def(
        "clump",
        [](const BoundScored& records, I64 order, const ClumpOptions& options, Task& task) {
            permutation(span(order), records.data.size());
            return hand_over(unlocked([&] { return clump(records.data, span(order), options, task); }));
        },
        "records"_a, "order"_a, "options"_a, "task"_a, "The group of each record.");
    m.def(
        "clump_printed",
        [](const BoundScored& records, const BoundRows& rows, const BoundTree& tree, I64 order, const ClumpOptions& options, Task& task) {
            const Rows& bags = rows.on_tree(tree.size());
            permutation(span(order), records.data.size());
            same_size(rows.size(), records.data.size());
            same_size(tree.size(), records.data.weight.size());
            PrintedClusters found = unlocked([&] { return clump_printed(records.data, bags, tree.view(), span(order), options, task); });
            return std::pair(hand_over(std::move(found.group)), hand_over(std::move(found.bags)));
        },
        "records"_a, "rows"_a, "tree"_a, "order"_a, "options"_a, "task"_a,
        "The group of each record, and what the printed BUIG publishes for each group.");
}

void bind_partition(nb::module_& m) {
    nb::class_<PartitionOptions>(m, "PartitionOptions", "How Partition splits records.")
        .def(
            "__init__",
            [](PartitionOptions* self, int64_t k, int64_t tries, bool recurse_leftover, bool owners_repeat) {
                need(k >= 1 && tries >= 1, "k and tries of one or more");
                new (self) PartitionOptions{k, tries, recurse_leftover, owners_repeat};
            },
            nb::kw_only(), "k"_a, "tries"_a, "recurse_leftover"_a, "owners_repeat"_a);
    m.def(
        "partition",
        [](const BoundRows& rows, const BoundTree& tree, I64 leaves, I64 order, I64 owners, const PartitionOptions& options, Task& task) {
            const Rows& in = rows.on_tree(tree.size());
            permutation(span(order), in.size());
            same_size(tree.size(), leaves.shape(0));
            for (int64_t below : span(leaves)) need(below >= 1, "a leaf below every node, or itself");
            same_size(owners.shape(0), rows.size());
            PartitionResult result = unlocked(
                [&] { return partition(in, span(tree.parent), span(tree.end), span(leaves), span(order), span(owners), options, task); });
            return std::pair(hand_over(std::move(result.group)), hand_over(std::move(result.cuts)));
        },
        "rows"_a, "tree"_a, "leaves"_a, "order"_a, "owners"_a, "options"_a, "task"_a,
        "The group of each record, and the cut of each group.");
}

}  // namespace

void bind_grouping(nb::module_& m) {
    bind_clump(m);
    bind_partition(m);
}
