// Bindings of the shoal method.
#include <nanobind/nanobind.h>

#include "bind/bindings.hpp"
#include "bound/bound.hpp"
#include "shoal/cluster.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

namespace {

Scored scored(const Rows& counts, const I64& lengths, const I64& owner, const I64& weight, int64_t scale, int64_t k, bool owners_repeat) {
    need(static_cast<int64_t>(lengths.shape(0)) == counts.size() && owner.shape(0) == lengths.shape(0), "one length and owner per record");
    need(k >= 1 && scale >= 1, "k and scale of one or more");
    ids_within(counts, static_cast<int64_t>(weight.shape(0)));
    not_negative(span(weight));
    not_negative(span(lengths));
    return {counts, span(lengths), span(owner), span(weight), scale, k, owners_repeat};
}

}  // namespace

void bind_grow(nb::module_& m) {
    m.def(
        "cluster",
        [](I64 indptr, I32 ids, I32 counts, I64 lengths, I64 owner, I64 weight, int64_t scale, int64_t k, bool owners_repeat, int64_t block,
           int64_t candidates, int64_t neighbours, int64_t depth, int64_t together, int64_t worst, int64_t refine_block, int64_t rounds,
           uint64_t seed, double seconds, int threads, Task& task) {
            const Scored data = scored(rows(indptr, ids, counts), lengths, owner, weight, scale, k, owners_repeat);
            need(block >= 2 * k && candidates >= 1 && neighbours >= 1 && refine_block >= 2 && worst >= 0 && worst <= 100 && depth >= 0 &&
                     together >= 0 && rounds >= 0,
                 "blocks that hold a group, and records to look at");
            const ClusterOptions options{block, {candidates}, {neighbours, depth, together, worst}, refine_block, rounds, seed, seconds};
            return hand_over(unlocked([&] { return cluster(data, options, threads, task); }));
        },
        "indptr"_a, "ids"_a, "counts"_a, "lengths"_a, "owner"_a, "weight"_a, "scale"_a, "k"_a, "owners_repeat"_a, "block"_a, "candidates"_a,
        "neighbours"_a, "depth"_a, "together"_a, "worst"_a, "refine_block"_a, "rounds"_a, "seed"_a, "seconds"_a, "threads"_a, "task"_a);
    m.def(
        "unavoidable_losses",
        [](I64 indptr, I32 ids, I32 counts, I64 lengths, I64 weight, int64_t scale, int64_t k, I64 asked, int64_t neighbours,
           int64_t patience, bool ceilings, int threads, Task& task) {
            const Rows in = rows(indptr, ids, counts);
            const Scored all = scored(in, lengths, lengths, weight, scale, k, false);
            indices_within(span(asked), in.size());
            need(k >= 2 && neighbours >= k && neighbours <= 64, "k of two or more, and k to 64 neighbours");
            need(patience >= 0, "a patience that is not negative");
            need(!ceilings || static_cast<int64_t>(asked.shape(0)) == in.size(), "all records asked for where ceilings are lowered");
            const BoundOptions options{neighbours, patience, ceilings};
            return hand_over(unlocked([&] {
                const OwnedRows reached = reachable_counts(all.counts, all.nodes(), k);
                Scored data = all;
                data.counts = reached.view();
                return unavoidable_losses(data, span(asked), options, threads, task);
            }));
        },
        "indptr"_a, "ids"_a, "counts"_a, "lengths"_a, "weight"_a, "scale"_a, "k"_a, "asked"_a, "neighbours"_a, "patience"_a, "ceilings"_a,
        "threads"_a, "task"_a, "For each record asked for, twice what it must lose in any k-anonymous release.");
}
