// Exact nearest neighbours under the weighted min-sum: for each row, the others that it shares most with.
//
// Byte sketches, rounded up, bound the min-sum of a pair from above; only pairs whose bound beats what was found already are scored
// exactly. Rows come in an order in which similar ones are near each other: then a tile of them has a sketch of its own, and most tiles are
// passed over as a whole.
#pragma once

#include "base/task.hpp"
#include "lattice/meets.hpp"
#include "lattice/sketch.hpp"

namespace shoal {

struct Neighbour {
    int64_t value;  // what it shares with the row asked for
    int64_t row;
    int64_t rank;  // how near it is; more is nearer
    // Nearest first; equals by number.
    bool operator<(const Neighbour& o) const { return rank != o.rank ? rank > o.rank : row < o.row; }
};

// What is near: whoever shares most, where no row counts for more than its cap; or, `fair`, whoever has least that is not shared on
// both sides together.
struct Nearness {
    std::span<const int64_t> cap;
    bool fair;

    int64_t shared(int64_t a, int64_t b, int64_t min_sum) const { return std::min({min_sum, cap[a], cap[b]}); }
    int64_t rank(int64_t cap_of_other, int64_t shared) const { return fair ? 2 * shared - cap_of_other : shared; }
};

class Nearest {
public:
    Nearest(const Scored& data, int threads, Task& task);

    // The `most` nearest others of each of these rows, which lie in one tile; nearest first. A row that would need more than `patience`
    // exact scores outside its tile gets none.
    std::vector<std::vector<Neighbour>> find(std::span<const int64_t> rows, int64_t most, const Nearness& nearness, int64_t patience,
                                             Task& task) const;

    int64_t tiles() const { return static_cast<int64_t>(tiles_.size()); }
    int64_t tile_begin(int64_t tile) const { return tile * kTile; }
    int64_t tile_end(int64_t tile) const { return std::min(data_.size(), (tile + 1) * kTile); }
    const Scored& data() const { return data_; }

private:
    class Search;

    // The largest of everything in the tile, so that no member shares more with anybody.
    struct Tile {
        Sketch most{};
        int64_t beyond = 0;
    };

    int64_t bound(int64_t a, int64_t b, int64_t distance) const;
    int64_t tile_bound(int64_t row, int64_t tile) const;

    static constexpr int64_t kTile = 64;

    const Scored& data_;
    std::vector<Sketch> sketches_;
    std::vector<int32_t> weight_;  // of the sketch
    std::vector<int64_t> beyond_;  // what did not fit into the bytes
    std::vector<Tile> tiles_;
    int64_t step_ = 1;
};

}  // namespace shoal
