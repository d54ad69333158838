// Exact nearest neighbours under the weighted min-sum: for each record, the others that it shares most with.
//
// Byte sketches, rounded up, bound the min-sum of a pair from above; only pairs whose bound beats what was found already are scored exactly.
#pragma once

#include "meets.hpp"
#include "sketch.hpp"
#include "task.hpp"

namespace shoal {

struct Neighbour {
    int64_t value;  // what it shares with the record asked for
    int64_t record;
    int64_t rank;   // how near it is; more is nearer
    // Nearest first; equals by number.
    bool operator<(const Neighbour& o) const { return rank != o.rank ? rank > o.rank : record < o.record; }
};

// What is near: whoever shares most, where no record counts for more than its cap; or, `fair`, whoever has least that is not shared on
// both sides together.
struct Nearness {
    std::span<const int64_t> cap;
    bool fair;

    int64_t shared(int64_t a, int64_t b, int64_t min_sum) const { return std::min({min_sum, cap[a], cap[b]}); }
    int64_t rank(int64_t other, int64_t shared) const { return fair ? 2 * shared - cap[other] : shared; }
};

class Nearest {
  public:
    Nearest(const Scored& data, int threads, Task& task);

    // The `most` neighbours of each record of a batch, nearest first. Batches of similar records are fastest. A record that would need
    // more than `patience` exact scores gets no neighbours.
    std::vector<std::vector<Neighbour>> find(std::span<const int64_t> batch, int64_t most, const Nearness& nearness, int64_t patience,
                                             Task& task) const;

    // The records in batches of similar ones.
    const std::vector<std::vector<int64_t>>& batches() const { return batches_; }

    const Scored& data() const { return data_; }

  private:
    int64_t bound(int64_t a, int64_t b) const;

    const Scored& data_;
    std::vector<std::vector<int64_t>> batches_;
    std::vector<Sketch> sketches_;
    std::vector<int32_t> weight_;  // of the sketch
    std::vector<int64_t> beyond_;  // what did not fit into the bytes
    int64_t step_ = 1;
};

}  // namespace shoal
