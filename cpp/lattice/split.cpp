#include "lattice/split.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/noise.hpp"
#include "base/parallel.hpp"

namespace shoal {

namespace {

constexpr int64_t kSample = 2048;

uint16_t root(int64_t weight, int64_t scale) {
    const double share = static_cast<double>(weight) / static_cast<double>(scale);
    return static_cast<uint16_t>(std::min(65535.0, std::sqrt(share) * 256.0));
}

std::vector<int32_t> heaviest_nodes(const Rows& counts, std::span<const int64_t> weight, std::size_t most) {
    std::vector<int64_t> mass(weight.size(), 0);
    for (std::size_t j = 0; j < counts.ids.size(); ++j) mass[counts.ids[j]] += weight[counts.ids[j]] * counts.counts[j];
    std::vector<int32_t> nodes;
    for (std::size_t v = 0; v < mass.size(); ++v)
        if (mass[v] > 0) nodes.push_back(static_cast<int32_t>(v));
    const std::size_t kept = std::min(most, nodes.size());
    std::ranges::partial_sort(nodes, nodes.begin() + static_cast<std::ptrdiff_t>(kept),
                              [&](int32_t a, int32_t b) { return mass[a] != mass[b] ? mass[a] > mass[b] : a < b; });
    nodes.resize(kept);
    return nodes;
}

int widest(const Coordinates& at, const std::vector<int64_t>& things, uint64_t round, uint64_t block) {
    const int64_t stride = 1 + static_cast<int64_t>(things.size()) / kSample;
    std::array<int64_t, kCoordinates> sum{}, squares{};
    int64_t n = 0;
    for (int64_t i = 0; i < static_cast<int64_t>(things.size()); i += stride, ++n) {
        const uint16_t* x = at.of(things[i]);
        for (int c = 0; c < kCoordinates; ++c) sum[c] += x[c], squares[c] += static_cast<int64_t>(x[c]) * x[c];
    }
    int best = 0;
    int64_t most = -1;
    for (int c = 0; c < kCoordinates; ++c) {
        int64_t spread = (squares[c] - sum[c] / n * sum[c]) / n;
        if (round > 0) spread = spread * static_cast<int64_t>(128 + noise(round, block, c) % 256) / 256;
        if (spread > most) most = spread, best = c;
    }
    return best;
}

// Things that will become so many blocks.
struct Part {
    std::vector<int64_t> things;
    int64_t blocks = 0;
};

// Cut where the blocks come out equally full.
std::array<Part, 2> halved(const Coordinates& at, Part&& part, uint64_t round, uint64_t place) {
    auto& things = part.things;
    const int c = widest(at, things, round, place);
    const int64_t before = (part.blocks + 1) / 2;
    const auto first = static_cast<std::size_t>(static_cast<int64_t>(things.size()) * before / part.blocks);
    const auto comes_before = [&](int64_t a, int64_t b) {
        const uint16_t x = at.of(a)[c], y = at.of(b)[c];
        return x != y ? x > y : a < b;
    };
    std::vector<int64_t> order = things;
    std::ranges::nth_element(order, order.begin() + static_cast<std::ptrdiff_t>(first), comes_before);
    // Both halves stay in rising order: what nth_element leaves differs between standard libraries.
    std::array<Part, 2> halves{Part{{}, before}, Part{{}, part.blocks - before}};
    for (int64_t thing : things) halves[comes_before(thing, order[first]) ? 0 : 1].things.push_back(thing);
    return halves;
}

}  // namespace

Coordinates coordinates(const Rows& counts, std::span<const int64_t> lengths, std::span<const int64_t> weight, int64_t scale, int threads,
                        Task& task) {
    const std::vector<int32_t> nodes = heaviest_nodes(counts, weight, kCoordinates - 1);
    std::vector<int8_t> place(weight.size(), -1);
    for (std::size_t i = 0; i < nodes.size(); ++i) place[nodes[i]] = static_cast<int8_t>(i);
    Coordinates out;
    out.values.assign(counts.size() * kCoordinates, 0);
    parallel_blocks(counts.size(), 1024, threads, task, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) {
            uint16_t* x = out.values.data() + i * kCoordinates;
            for (int64_t j = counts.indptr[i]; j < counts.indptr[i + 1]; ++j)
                if (const int8_t p = place[counts.ids[j]]; p >= 0) x[p] = root(weight[counts.ids[j]] * counts.counts[j], scale);
            x[kCoordinates - 1] = root(lengths[i], 1);
        }
    });
    return out;
}

std::vector<std::vector<int64_t>> split_blocks(const Coordinates& at, std::vector<int64_t> things, int64_t size, uint64_t round,
                                               int threads, Task& task) {
    const int64_t wanted = std::max<int64_t>(1, (static_cast<int64_t>(things.size()) + size / 2) / size);
    std::vector<Part> level;
    level.push_back({std::move(things), wanted});
    while (std::ranges::any_of(level, [](const Part& p) { return p.blocks > 1; })) {
        std::vector<std::array<Part, 2>> halves(level.size());
        parallel_blocks(static_cast<int64_t>(level.size()), 1, threads, task, [&](int64_t p, int64_t, int) {
            const uint64_t place = level.size() + p;
            halves[p] =
                level[p].blocks > 1 ? halved(at, std::move(level[p]), round, place) : std::array<Part, 2>{std::move(level[p]), Part{}};
        });
        level.clear();
        for (auto& pair : halves)
            for (Part& part : pair)
                if (part.blocks > 0) level.push_back(std::move(part));
    }
    std::vector<std::vector<int64_t>> blocks;
    for (Part& part : level) blocks.push_back(std::move(part.things));
    return blocks;
}

}  // namespace shoal
