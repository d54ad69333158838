// The live rows of a table of numbers, in blocks of near rows that know their bounding box, for exact nearest and farthest queries.
//
// A squared distance is summed attribute by attribute, and a box's bound in the same order. Rounding is monotone, so the bound of a box
// holds for the computed distances of its rows to the last bit: blocks are passed over without a margin, and the answer is that of a full
// scan. Of equal distances the row with the lower number is taken, so answers do not depend on blocks or threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/task.hpp"

namespace shoal {

using std::int32_t;
using std::int64_t;

// Borrowed rows of numbers, one after the other.
struct Matrix {
    std::span<const double> values;
    int64_t rows;
    int64_t columns;

    std::span<const double> row(int64_t i) const { return values.subspan(i * columns, columns); }
};

// A row at a squared distance; near before far, of equals the lower row.
struct NearRow {
    double distance;
    int64_t row;

    bool operator<(const NearRow& other) const { return distance < other.distance || (distance == other.distance && row < other.row); }
};

class Points {
public:
    Points(Matrix data, int threads, Task& task);

    int64_t size() const { return live_; }
    void remove(int64_t row);
    std::vector<int64_t> rows() const;  // those that are live, by their numbers

    // The live row farthest from the point; of equals the lowest. There must be one.
    int64_t farthest(std::span<const double> point);

    // Hands live rows to `offer(neighbour)`, nearer blocks first, until no row can lie within `limit()`, a squared distance that never
    // rises. Rows beyond it may be offered at any distance beyond it.
    template <class Offer, class Limit>
    void nearest(std::span<const double> point, Offer&& offer, Limit&& limit) {
        bounds_below(point);
        visit(
            point, [](double bound) { return bound; }, [&](double key) { return key <= limit(); }, limit, offer);
    }

private:
    static constexpr int64_t width = 64;  // rows of a block

    struct Candidate {
        double key;  // blocks with lower keys are visited first
        int64_t block;

        bool operator<(const Candidate& other) const { return key > other.key || (key == other.key && block > other.block); }
    };

    void build(std::vector<int64_t> rows);
    void split(std::span<int64_t> rows);
    void fill(int64_t block, std::span<const int64_t> rows);
    void bounds_below(std::span<const double> point);
    void bounds_above(std::span<const double> point);
    void measure(std::span<const double> point, double limit);
    void measure(int64_t block, std::span<const double> point, double limit, double* distances) const;
    void next_batch(int64_t size);

    // Visits blocks by rising `key(bound)` in growing batches while `worth(key)`, and offers all their rows; of rows farther than `limit()`
    // the distance offered may be any beyond it.
    template <class Key, class Worth, class Limit, class Offer>
    void visit(std::span<const double> point, Key&& key, Worth&& worth, Limit&& limit, Offer&& offer) {
        open_.clear();
        for (int64_t b = 0; b < blocks_; ++b)
            if (count_[b]) open_.push_back({key(bound_[b]), b});
        std::make_heap(open_.begin(), open_.end());
        for (int64_t size = first_batch; !open_.empty() && worth(open_.front().key); size *= 2) {
            next_batch(size);
            measure(point, limit());
            for (std::size_t i = 0; i < batch_.size(); ++i)
                for (int64_t slot = 0; slot < count_[batch_[i]]; ++slot)
                    offer(NearRow{distances_[i * width + slot], row_[batch_[i] * width + slot]});
        }
    }

    static constexpr int64_t first_batch = 4;

    Matrix data_;
    int threads_;
    Task& task_;
    int64_t live_ = 0;
    int64_t built_ = 0;  // live rows when the blocks were made
    int64_t blocks_ = 0;
    std::vector<double> values_;      // block, attribute, slot
    std::vector<double> low_, high_;  // attribute, block: the boxes
    std::vector<int64_t> row_;        // block, slot: which row
    std::vector<int64_t> count_;      // block: its live rows, in its first slots
    std::vector<int64_t> slot_;       // row: where it is, -1 if removed
    std::vector<double> bound_;       // block: of the present query
    std::vector<Candidate> open_;     // a heap of the blocks not visited yet
    std::vector<int64_t> batch_;      // the blocks that are measured now
    std::vector<double> distances_;   // batch, slot
};

}  // namespace shoal
