#include "nearest.hpp"

#include <limits>
#include <numeric>

#include "parallel.hpp"
#include "split.hpp"

namespace shoal {

namespace {

constexpr int64_t kBatch = 128, kTile = 256;
constexpr int64_t kNothing = std::numeric_limits<int64_t>::min();

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

}  // namespace

Nearest::Nearest(const Scored& data, int threads, Task& task) : data_(data), weight_(data.size()), beyond_(data.size()) {
    std::vector<int64_t> all(data.size());
    std::iota(all.begin(), all.end(), 0);
    batches_ = split_blocks(coordinates(data.counts, data.lengths, data.weight, data.scale, threads, task), std::move(all), kBatch, 0, threads, task);
    SketchedRows sketched = sketch_rows(data.counts, data.weight);
    step_ = sketched.sketcher.step();
    sketches_.resize(data.size());
    parallel_blocks(data.size(), 1024, threads, task, [&](int64_t begin, int64_t end, int) {
        for (int64_t r = begin; r < end; ++r) {
            Sketcher::Sums sums{};
            for (int64_t j = data.counts.indptr[r]; j < data.counts.indptr[r + 1]; ++j)
                sketched.sketcher.add(sums, data.counts.ids[j], data.counts.counts[j]);
            for (int b = 0; b < kSketch; ++b) {
                const int64_t fits = std::min(sums[b], 255 * step_);
                sketches_[r].bytes[b] = static_cast<uint8_t>((fits + step_ - 1) / step_);
                beyond_[r] += sums[b] - fits;
            }
            weight_[r] = weight_of(sketches_[r]);
        }
    });
}

// No pair shares more than this: bucket by bucket the smaller sum, which is at least the sum of the smaller counts.
int64_t Nearest::bound(int64_t a, int64_t b) const {
    const int64_t shared = (weight_[a] + weight_[b] - distance(sketches_[a], sketches_[b])) / 2;
    return shared * step_ + std::min(beyond_[a], beyond_[b]);
}

std::vector<std::vector<Neighbour>> Nearest::find(std::span<const int64_t> batch, int64_t most, const Nearness& nearness,
                                                  int64_t patience, Task& task) const {
    std::vector<Best> best(batch.size(), Best(most));
    std::vector<int64_t> scored(batch.size(), 0), worth;
    Dense dense(data_.nodes());
    auto score = [&](std::size_t q) {
        const int64_t record = batch[q];
        dense.spread(data_.counts, record);
        for (int64_t other : worth) {
            const int64_t shared = nearness.shared(record, other, dense.against(data_.counts, other, data_.weight));
            best[q].offer({shared, other, nearness.rank(other, shared)});
        }
        dense.clear(data_.counts, record);
    };
    // The batch itself first: similar records, so that the rest has something to beat.
    for (std::size_t q = 0; q < batch.size(); ++q) {
        worth.clear();
        std::ranges::copy_if(batch, std::back_inserter(worth), [&](int64_t other) { return other != batch[q]; });
        score(q);
    }
    std::vector<bool> mine(data_.size(), false);
    for (int64_t r : batch) mine[r] = true;
    for (int64_t tile = 0; tile < data_.size(); tile += kTile) {
        task.check();
        const int64_t end = std::min(data_.size(), tile + kTile);
        for (std::size_t q = 0; q < batch.size(); ++q) {
            if (scored[q] > patience) continue;
            const int64_t record = batch[q], to_beat = best[q].to_beat();
            worth.clear();
            for (int64_t other = tile; other < end; ++other) {
                const int64_t most_shared = std::min(nearness.cap[record], nearness.cap[other]);
                if (nearness.rank(other, most_shared) <= to_beat) continue;
                if (nearness.rank(other, std::min(most_shared, bound(record, other))) <= to_beat) continue;
                if (!mine[other]) worth.push_back(other);
            }
            scored[q] += static_cast<int64_t>(worth.size());
            if (!worth.empty()) score(q);
        }
    }
    std::vector<std::vector<Neighbour>> found(batch.size());
    for (std::size_t q = 0; q < batch.size(); ++q)
        if (scored[q] <= patience) found[q] = std::move(best[q]).sorted();
    return found;
}

}  // namespace shoal
