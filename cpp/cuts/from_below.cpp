#include "cuts/from_below.hpp"

#include <algorithm>
#include <stdexcept>

#include "cuts/cover.hpp"

namespace shoal {

namespace {

// Nodes that a record publishes at fresh places only.
std::vector<int32_t> only_fresh(const ShownPlaces& places, int32_t record) {
    std::vector<int32_t> fresh, settled;
    for (int64_t place = places.indptr[record]; place < places.indptr[record + 1]; ++place)
        if (places.shown[place] != no_node) (places.fresh[place] ? fresh : settled).push_back(places.shown[place]);
    sort_unique(fresh);
    std::erase_if(fresh, [&](int32_t node) { return std::ranges::find(settled, node) != settled.end(); });
    return fresh;
}

void insist_on_fresh(const RareFound& found, std::span<const RareFound::Holding> held, std::span<const int32_t> fresh) {
    const auto is_fresh = [&](int32_t node) { return std::ranges::binary_search(fresh, node); };
    for (const auto& holding : held)
        if (std::ranges::none_of(found.sets[holding.set], is_fresh)) throw std::invalid_argument("a rare set without a fresh node");
}

}  // namespace

PublishedRecords::PublishedRecords(const Rows& rows, std::span<const int64_t> owners, std::size_t nodes, int64_t k, int64_t m)
    : up_(nodes, no_node),
      publishable_(nodes, 1),
      problem_{rows, owners, Tree{up_, {}}, {}, publishable_, 1, k, m},
      tokens_(problem_),
      rare_(tokens_) {
    tokens_.clear();
}

RareFound PublishedRecords::rare_sets(std::span<const int32_t> changed, const Task& task) {
    return rare_.with(changed, {problem_.m, RareSets::all, true, true}, task);
}

std::vector<uint8_t> given_up(const ShownPlaces& places, const RareFound& found, std::span<const int64_t> everywhere, const Task& task) {
    std::vector<uint8_t> gone(places.shown.size(), 0);
    Cover cover(everywhere.size());
    for_each_record(found, task, [&](int32_t record, std::span<const RareFound::Holding> held) {
        const auto fresh = only_fresh(places, record);
        insist_on_fresh(found, held, fresh);
        const auto chosen = cover.chosen(found, held, fresh, [&](int32_t node) { return everywhere[node]; });
        for (int64_t place = places.indptr[record]; place < places.indptr[record + 1]; ++place)
            gone[place] = std::ranges::find(chosen, places.shown[place]) != chosen.end();
    });
    return gone;
}

}  // namespace shoal
