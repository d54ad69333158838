// Kernels of disassociation for Python: clusters of records and chunks of terms.
#include "chunks/chunks.hpp"

#include "bind/values.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

namespace {

OwnedSets owned_sets(const BoundRows& rows, const I64& owners) {
    same_size(owners.shape(0), rows.size());
    for (std::size_t i = 1; i < owners.shape(0); ++i) need(owners.data()[i - 1] <= owners.data()[i], "records sorted by owner");
    if (owners.shape(0)) need(owners.data()[0] >= 0, "owners numbered from 0 on");
    return {rows.view, span(owners), static_cast<int64_t>(rows.highest) + 1};
}

}  // namespace

void bind_chunks(nb::module_& m) {
    nb::class_<ChunkPlan>(m, "ChunkPlan", "How many people must hold any set of how many terms.")
        .def(
            "__init__",
            [](ChunkPlan* self, int64_t k, int64_t m) {
                need(k >= 1 && m >= 1, "k and m of at least 1");
                new (self) ChunkPlan{k, m};
            },
            nb::kw_only(), "k"_a, "m"_a);
    m.def(
        "clusters_by_terms",
        [](const BoundRows& rows, I64 owners, int64_t most, int64_t k, Task& task) {
            need(k >= 1 && most >= 1, "k and clusters of at least 1");
            const OwnedSets sets = owned_sets(rows, owners);
            return hand_over(unlocked([&] { return clusters_by_terms(sets, most, k, task); }));
        },
        "rows"_a, "owners"_a, "most"_a, "k"_a, "task"_a);
    m.def(
        "chunks_of_terms",
        [](const BoundRows& rows, I64 owners, I64 cluster, const ChunkPlan& plan, Task& task) {
            same_size(cluster.shape(0), rows.size());
            const OwnedSets sets = owned_sets(rows, owners);
            return hand_over(unlocked([&] { return chunks_of_terms(sets, span(cluster), plan, task); }));
        },
        "rows"_a, "owners"_a, "cluster"_a, "plan"_a, "task"_a);
}
