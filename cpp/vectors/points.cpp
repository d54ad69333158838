#include "vectors/points.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/parallel.hpp"

namespace shoal {

namespace {

// Fewer numbers than these are measured sooner than threads are started.
constexpr int64_t worth_threads = 1 << 19;

}  // namespace

Points::Points(Matrix data, int threads, Task& task) : data_(data), threads_(std::max(1, threads)), task_(task), slot_(data.rows, -1) {
    std::vector<int64_t> all(data.rows);
    std::iota(all.begin(), all.end(), 0);
    build(std::move(all));
}

void Points::build(std::vector<int64_t> rows) {
    live_ = built_ = static_cast<int64_t>(rows.size());
    const int64_t most = (live_ + width - 1) / width;
    blocks_ = 0;
    values_.assign(most * data_.columns * width, 0);
    low_.assign(most * data_.columns, 0);
    high_.assign(most * data_.columns, 0);
    row_.assign(most * width, -1);
    count_.assign(most, 0);
    bound_.assign(most, 0);
    if (live_) split(rows);
}

// Halves the rows at the median of the attribute with the widest range until they fit in a block; all blocks but the last are full.
void Points::split(std::span<int64_t> rows) {
    task_.check();
    const auto n = static_cast<int64_t>(rows.size());
    if (n <= width) return fill(blocks_++, rows);
    int64_t widest = 0;
    double range = -1;
    for (int64_t j = 0; j < data_.columns; ++j) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (int64_t r : rows) {
            low = std::min(low, data_.row(r)[j]);
            high = std::max(high, data_.row(r)[j]);
        }
        if (high - low > range) widest = j, range = high - low;
    }
    const int64_t half = (n / 2 + width - 1) / width * width;
    auto before = [&](int64_t a, int64_t b) {
        const double x = data_.row(a)[widest], y = data_.row(b)[widest];
        return x < y || (x == y && a < b);
    };
    std::nth_element(rows.begin(), rows.begin() + half, rows.end(), before);
    split(rows.first(half));
    split(rows.subspan(half));
}

void Points::fill(int64_t block, std::span<const int64_t> rows) {
    const auto most = static_cast<int64_t>(count_.size());
    count_[block] = static_cast<int64_t>(rows.size());
    for (int64_t j = 0; j < data_.columns; ++j) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (std::size_t s = 0; s < rows.size(); ++s) {
            const double x = data_.row(rows[s])[j];
            values_[(block * data_.columns + j) * width + s] = x;
            low = std::min(low, x);
            high = std::max(high, x);
        }
        low_[j * most + block] = low;
        high_[j * most + block] = high;
    }
    for (std::size_t s = 0; s < rows.size(); ++s) {
        row_[block * width + s] = rows[s];
        slot_[rows[s]] = block * width + s;
    }
}

std::vector<int64_t> Points::rows() const {
    std::vector<int64_t> found;
    found.reserve(live_);
    for (int64_t r = 0; r < data_.rows; ++r)
        if (slot_[r] >= 0) found.push_back(r);
    return found;
}

void Points::remove(int64_t row) {
    const int64_t place = slot_[row], block = place / width, last = block * width + --count_[block];
    double* values = values_.data() + block * data_.columns * width;
    for (int64_t j = 0; j < data_.columns; ++j) values[j * width + place % width] = values[j * width + last % width];
    row_[place] = row_[last];
    slot_[row_[place]] = place;
    slot_[row] = -1;
    // Boxes made for twice as many rows are too wide, and half of the slots are empty.
    if (--live_ < built_ / 2) build(rows());
}

void Points::bounds_below(std::span<const double> point) {
    const auto most = static_cast<int64_t>(count_.size());
    std::fill(bound_.begin(), bound_.end(), 0.0);
    for (int64_t j = 0; j < data_.columns; ++j) {
        const double *low = low_.data() + j * most, *high = high_.data() + j * most;
        for (int64_t b = 0; b < blocks_; ++b) {
            const double outside = std::max(std::max(low[b] - point[j], point[j] - high[b]), 0.0);
            bound_[b] += outside * outside;
        }
    }
}

void Points::bounds_above(std::span<const double> point) {
    const auto most = static_cast<int64_t>(count_.size());
    std::fill(bound_.begin(), bound_.end(), 0.0);
    for (int64_t j = 0; j < data_.columns; ++j) {
        const double *low = low_.data() + j * most, *high = high_.data() + j * most;
        for (int64_t b = 0; b < blocks_; ++b) {
            const double far = std::max(point[j] - low[b], high[b] - point[j]);
            bound_[b] += far * far;
        }
    }
}

void Points::next_batch(int64_t size) {
    batch_.clear();
    while (!open_.empty() && static_cast<int64_t>(batch_.size()) < size) {
        std::pop_heap(open_.begin(), open_.end());
        batch_.push_back(open_.back().block);
        open_.pop_back();
    }
}

// The distances of all rows in the batch. Slots of removed rows are measured too, which costs less than asking.
void Points::measure(std::span<const double> point, double limit) {
    const auto n = static_cast<int64_t>(batch_.size());
    distances_.resize(std::max<std::size_t>(distances_.size(), n * width));
    auto blocks = [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) measure(batch_[i], point, limit, distances_.data() + i * width);
    };
    task_.check();
    if (n * width * data_.columns < worth_threads) return blocks(0, n, 0);
    Task uncounted;  // progress is counted in rows that found their group
    parallel_blocks(n, (n + threads_ * 4 - 1) / (threads_ * 4), threads_, uncounted, blocks);
}

// A few slots at a time, so that their sums stay in registers. Where all of them exceed the limit the other attributes are left out: sums
// only grow, so what is given then is beyond the limit as well.
void Points::measure(int64_t block, std::span<const double> point, double limit, double* distances) const {
    constexpr int64_t tile = 8;
    const int64_t d = data_.columns;
    for (int64_t first = 0; first < count_[block]; first += tile) {
        const double* values = values_.data() + block * d * width + first;
        double sums[tile] = {};
        for (int64_t j = 0; j < d;) {
            for (const int64_t end = std::min(d, j + 4); j < end; ++j, values += width)
                for (int64_t s = 0; s < tile; ++s) sums[s] += (values[s] - point[j]) * (values[s] - point[j]);
            if (*std::min_element(sums, sums + tile) > limit) break;
        }
        std::copy(sums, sums + tile, distances + first);
    }
}

int64_t Points::farthest(std::span<const double> point) {
    bounds_above(point);
    NearRow best{-1, -1};
    const double unlimited = std::numeric_limits<double>::infinity();
    visit(
        point, [](double bound) { return -bound; }, [&](double key) { return -key >= best.distance; }, [&] { return unlimited; },
        [&](const NearRow& other) {
            if (other.distance > best.distance || (other.distance == best.distance && other.row < best.row)) best = other;
        });
    return best.row;
}

}  // namespace shoal
