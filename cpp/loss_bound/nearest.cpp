#include "loss_bound/nearest.hpp"

#include <limits>

#include "base/parallel.hpp"

namespace shoal {

namespace {

constexpr int64_t kNothing = std::numeric_limits<int64_t>::min();

}  // namespace

Nearest::Nearest(const Scored& data, int threads, Task& task)
    : data_(data), sketches_(data.size()), weight_(data.size()), beyond_(data.size()), tiles_((data.size() + kTile - 1) / kTile) {
    const Sketcher sketcher = fitted_sketcher(data.counts, data.weight);
    step_ = sketcher.step();
    parallel_blocks(tiles(), 1, threads, task, [&](int64_t t, int64_t, int) {
        for (int64_t r = tile_begin(t); r < tile_end(t); ++r) {
            const Sketcher::Sums sums = sketcher.sums(data.counts, r);
            for (int b = 0; b < kSketch; ++b) {
                const int64_t fits = std::min(sums[b], 255 * step_);
                sketches_[r].bytes[b] = static_cast<uint8_t>((fits + step_ - 1) / step_);
                tiles_[t].most.bytes[b] = std::max(tiles_[t].most.bytes[b], sketches_[r].bytes[b]);
                beyond_[r] += sums[b] - fits;
            }
            tiles_[t].beyond = std::max(tiles_[t].beyond, beyond_[r]);
            weight_[r] = weight_of(sketches_[r]);
        }
    });
}

// No pair whose sketches are so far apart shares more than this: bucket by bucket the smaller sum, which is at least the sum of the smaller
// counts.
int64_t Nearest::bound(int64_t a, int64_t b, int64_t distance) const {
    return (weight_[a] + weight_[b] - distance) / 2 * step_ + std::min(beyond_[a], beyond_[b]);
}

int64_t Nearest::tile_bound(int64_t row, int64_t tile) const {
    const Tile& t = tiles_[tile];
    return static_cast<int64_t>(min_sum(sketches_[row], t.most)) * step_ + std::min(beyond_[row], t.beyond);
}

// The search for some rows of one tile. Other tiles are visited outwards from theirs, so that what is similar comes first and the rest has
// something to beat.
class Nearest::Search {
    // The best few found so far; the worst of them is what a newcomer must beat.
    class Best {
    public:
        explicit Best(int64_t most) : most_(static_cast<std::size_t>(most)) {}
        int64_t to_beat() const { return heap_.size() < most_ ? kNothing : heap_.front().rank; }
        void offer(Neighbour n) {
            if (heap_.size() == most_) {
                if (!(n < heap_.front())) return;
                std::pop_heap(heap_.begin(), heap_.end());
                heap_.pop_back();
            }
            heap_.push_back(n);
            std::push_heap(heap_.begin(), heap_.end());
        }
        std::vector<Neighbour> sorted() && {
            std::sort(heap_.begin(), heap_.end());
            return std::move(heap_);
        }

    private:
        std::size_t most_;
        std::vector<Neighbour> heap_;
    };

public:
    Search(const Nearest& in, std::span<const int64_t> rows, int64_t most, const Nearness& nearness, int64_t patience)
        : in_(in),
          rows_(rows),
          nearness_(nearness),
          patience_(patience),
          dense_(in.data_.nodes()),
          best_(rows.size(), Best(most)),
          scored_(rows.size(), 0) {}

    void run(Task& task) {
        const int64_t home = rows_[0] / kTile, tiles = in_.tiles();
        for (int64_t far = 0; far < tiles; ++far) {
            task.check();
            if (home + far < tiles) visit(home + far);
            if (far > 0 && home >= far) visit(home - far);
        }
    }

    std::vector<std::vector<Neighbour>> found() && {
        std::vector<std::vector<Neighbour>> found(rows_.size());
        for (std::size_t q = 0; q < rows_.size(); ++q)
            if (scored_[q] <= patience_) found[q] = std::move(best_[q]).sorted();
        return found;
    }

private:
    void visit(int64_t tile) {
        const int64_t least_cap =
            *std::min_element(nearness_.cap.begin() + in_.tile_begin(tile), nearness_.cap.begin() + in_.tile_end(tile));
        for (std::size_t q = 0; q < rows_.size(); ++q) {
            if (scored_[q] > patience_) continue;
            const int64_t most = std::min(nearness_.cap[rows_[q]], in_.tile_bound(rows_[q], tile));
            if (nearness_.rank(least_cap, most) > best_[q].to_beat()) look_at(q, tile);
        }
    }

    void look_at(std::size_t q, int64_t tile) {
        const int64_t row = rows_[q], to_beat = best_[q].to_beat(), begin = in_.tile_begin(tile);
        worth_.clear();
        distances(in_.sketches_[row], std::span(in_.sketches_).subspan(begin, in_.tile_end(tile) - begin), far_.data());
        for (int64_t other = begin; other < in_.tile_end(tile); ++other) {
            const int64_t cap = nearness_.cap[other], most = std::min(nearness_.cap[row], cap);
            if (nearness_.rank(cap, std::min(most, in_.bound(row, other, far_[other - begin]))) <= to_beat) continue;
            if (other != row) worth_.push_back(other);
        }
        if (worth_.empty()) return;
        if (tile != row / kTile) scored_[q] += static_cast<int64_t>(worth_.size());
        const Scored& data = in_.data_;
        dense_.spread(data.counts, row);
        for (int64_t other : worth_) {
            const int64_t shared = nearness_.shared(row, other, dense_.against(data.counts, other, data.weight));
            best_[q].offer({shared, other, nearness_.rank(nearness_.cap[other], shared)});
        }
        dense_.clear(data.counts, row);
    }

    const Nearest& in_;
    std::span<const int64_t> rows_;
    const Nearness& nearness_;
    int64_t patience_;
    Dense dense_;
    std::vector<Best> best_;
    std::vector<int64_t> scored_;
    std::vector<int64_t> worth_;
    std::array<int32_t, kTile> far_;
};

std::vector<std::vector<Neighbour>> Nearest::find(std::span<const int64_t> rows, int64_t most, const Nearness& nearness, int64_t patience,
                                                  Task& task) const {
    Search search(*this, rows, most, nearness, patience);
    search.run(task);
    return std::move(search).found();
}

}  // namespace shoal
