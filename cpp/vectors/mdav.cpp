#include "vectors/mdav.hpp"

#include <algorithm>
#include <limits>

#include "vectors/long_sum.hpp"

namespace shoal {

namespace {

// The nearest rows of so many different owners around a seed, which is always among them.
class Nearest {
public:
    Nearest(std::span<const int64_t> owner, int64_t k) : owner_(owner), k_(k) {}

    void start(int64_t seed) { found_.assign(1, {-1, seed}); }

    // No row beyond this squared distance can get in.
    double limit() const { return full() ? found_.back().distance : std::numeric_limits<double>::infinity(); }

    void offer(const NearRow& row) {
        if (full() && !(row < found_.back())) return;
        const auto same =
            std::find_if(found_.begin(), found_.end(), [&](const NearRow& other) { return owner_[other.row] == owner_[row.row]; });
        if (same != found_.end()) {
            if (!(row < *same)) return;
            found_.erase(same);
        } else if (full()) {
            found_.pop_back();
        }
        found_.insert(std::upper_bound(found_.begin(), found_.end(), row), row);
    }

    std::span<const NearRow> found() const { return found_; }

private:
    bool full() const { return static_cast<int64_t>(found_.size()) == k_; }

    std::span<const int64_t> owner_;
    int64_t k_;
    std::vector<NearRow> found_;  // nearest first
};

class Mdav {
public:
    Mdav(Matrix data, std::span<const int64_t> owner, int64_t k, int threads, Task& task)
        : data_(data),
          owner_(owner),
          k_(k),
          task_(task),
          live_(data, threads, task),
          nearest_(owner, k),
          group_(data.rows, -1),
          sum_(data.columns) {
        for (int64_t i = 0; i < data.rows; ++i) {
            if (owner[i] >= static_cast<int64_t>(rows_of_.size())) rows_of_.resize(owner[i] + 1);
            owners_ += rows_of_[owner[i]]++ == 0;
            for (int64_t j = 0; j < data.columns; ++j) sum_[j].add(data.row(i)[j]);
        }
    }

    std::vector<int64_t> groups() && {
        task_.begin(data_.rows);
        while (owners_ >= 3 * k_) {
            const int64_t outermost = live_.farthest(centroid());
            gather(outermost);
            gather(live_.farthest(data_.row(outermost)));
        }
        if (owners_ >= 2 * k_) gather(live_.farthest(centroid()));
        if (live_.size() >= 2 * k_) {  // owners repeat, for fewer than 2k of them are left
            while (owners_ >= k_) gather(live_.farthest(centroid()));
            join_nearest();
        } else if (live_.size()) {
            for (int64_t row : live_.rows()) take(row, count_);
            ++count_;
        }
        return std::move(group_);
    }

private:
    std::vector<double> centroid() const {
        std::vector<double> mean(data_.columns);
        for (int64_t j = 0; j < data_.columns; ++j) mean[j] = sum_[j].value() / static_cast<double>(live_.size());
        return mean;
    }

    // Forms a group of the seed and the nearest rows of k-1 other owners.
    void gather(int64_t seed) {
        nearest_.start(seed);
        live_.nearest(
            data_.row(seed), [&](const NearRow& row) { nearest_.offer(row); }, [&] { return nearest_.limit(); });
        for (const NearRow& member : nearest_.found()) take(member.row, count_);
        ++count_;
    }

    void take(int64_t row, int64_t group) {
        group_[row] = group;
        live_.remove(row);
        owners_ -= --rows_of_[owner_[row]] == 0;
        for (int64_t j = 0; j < data_.columns; ++j) sum_[j].add(-data_.row(row)[j]);
        task_.step();
    }

    // Each row that is left goes to the group whose centroid is nearest: it has k owners already.
    void join_nearest() {
        const std::vector<double> centres = centroids();
        Points groups({centres, count_, data_.columns}, 1, task_);
        for (int64_t row : live_.rows()) {
            NearRow best{std::numeric_limits<double>::infinity(), count_};
            groups.nearest(
                data_.row(row), [&](const NearRow& other) { best = std::min(best, other); }, [&] { return best.distance; });
            take(row, best.row);
        }
    }

    std::vector<double> centroids() const {
        std::vector<LongSum> sums(count_ * data_.columns);
        std::vector<double> means(sums.size()), rows(count_);
        for (int64_t i = 0; i < data_.rows; ++i) {
            if (group_[i] < 0) continue;
            ++rows[group_[i]];
            for (int64_t j = 0; j < data_.columns; ++j) sums[group_[i] * data_.columns + j].add(data_.row(i)[j]);
        }
        for (std::size_t c = 0; c < sums.size(); ++c) means[c] = sums[c].value() / rows[c / data_.columns];
        return means;
    }

    Matrix data_;
    std::span<const int64_t> owner_;
    int64_t k_;
    Task& task_;
    Points live_;
    Nearest nearest_;
    std::vector<int64_t> group_;    // row: its group, -1 while live
    std::vector<LongSum> sum_;      // attribute: over the live rows
    std::vector<int64_t> rows_of_;  // owner: live rows
    int64_t owners_ = 0;            // with live rows
    int64_t count_ = 0;             // groups formed
};

}  // namespace

std::vector<int64_t> mdav(Matrix data, std::span<const int64_t> owner, int64_t k, int threads, Task& task) {
    return Mdav(data, owner, k, threads, task).groups();
}

}  // namespace shoal
