#include "cuts/cut.hpp"

#include <algorithm>

namespace shoal {

Cut::Cut(Tokens& tokens) : tokens_(tokens) {
    const std::size_t nodes = problem().tree.up.size();
    places_of_.resize(nodes);
    items_of_.resize(nodes);
    node_of_.assign(nodes, no_node);
    suppressed_.assign(nodes, 0);
    const auto& ids = problem().rows.ids;
    for (std::size_t place = 0; place < ids.size(); ++place) places_of_[ids[place]].push_back(static_cast<int64_t>(place));
    for (int32_t item = 0; item < static_cast<int32_t>(nodes); ++item) {
        if (places_of_[item].empty()) continue;
        items_.push_back(item);
        items_of_[item] = {item};
        node_of_[item] = item;
    }
}

std::vector<int32_t> Cut::nodes() const {
    std::vector<int32_t> out;
    for (int32_t node = 0; node < static_cast<int32_t>(items_of_.size()); ++node)
        if (!items_of_[node].empty()) out.push_back(node);
    return out;
}

std::span<const int32_t> Cut::items_below(int32_t node) const {
    const auto first = std::ranges::lower_bound(items_, node);
    const auto last = std::lower_bound(first, items_.end(), problem().tree.end[node]);
    return {first, last};
}

std::vector<int32_t> Cut::records_of(int32_t item) const {
    std::vector<int32_t> out;
    const auto& indptr = problem().rows.indptr;
    auto at = indptr.begin();
    for (int64_t place : places_of_[item]) {
        at = std::upper_bound(at, indptr.end(), place);
        out.push_back(static_cast<int32_t>(at - indptr.begin()) - 1);
    }
    return out;
}

void Cut::assign(std::span<const Image> images) {
    std::vector<int32_t> touched;
    std::vector<Move> moves;
    for (const Image& image : images) {
        touched.push_back(node_of_[image.item]);
        node_of_[image.item] = image.node;
        items_of_[image.node].push_back(image.item);
        touched.push_back(image.node);
        for (int64_t place : places_of_[image.item]) moves.push_back({place, image.node});
    }
    sort_unique(touched);
    for (int32_t node : touched) {
        std::erase_if(items_of_[node], [&](int32_t item) { return node_of_[item] != node; });
        sort_unique(items_of_[node]);
        suppressed_[node] = 0;
    }
    std::ranges::sort(moves, {}, &Move::place);
    tokens_.move(moves);
}

void Cut::merge(int32_t node) {
    std::vector<Image> images;
    for (int32_t item : items_below(node)) images.push_back({item, node});
    assign(images);
}

int64_t Cut::occurrences_of_node(int32_t node) const {
    int64_t total = 0;
    for (int32_t item : items_of_[node]) total += occurrences(item);
    return total;
}

void Cut::show(int32_t node, bool published) {
    suppressed_[node] = !published;
    std::vector<Move> moves;
    for (int32_t item : items_of_[node])
        for (int64_t place : places_of_[item]) moves.push_back({place, published ? node : no_node});
    std::ranges::sort(moves, {}, &Move::place);
    tokens_.move(moves);
}

}  // namespace shoal
