// A few neighbouring groups of rows, taken out of a grouping to be improved among themselves: moves and swaps on the exact SSE.
//
// With S the sum of a group's n rows, SSE = sum |x|^2 - sum |S|^2 / n, so the groups should keep the second sum, their value, large. All
// products of two rows are computed once, and the product of each row with each group's S is kept, so that what a move or a swap gains
// takes a few operations whatever the number of attributes. Rows are taken relative to the mean of the pool, which keeps the numbers small.
//
// Owners: a group never falls below k of them. Where every row has an owner of its own a group has no more than 2k-1 rows, for a larger one
// can be split; where owners repeat there is no such limit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vectors/points.hpp"

namespace shoal {

using Members = std::vector<int64_t>;  // the rows of a group

class Pool {
public:
    // `distinct`: no owner has two rows.
    Pool(Matrix data, std::span<const int64_t> owner, int64_t k, bool distinct);

    // Begins with these groups, and room for one more.
    void load(const std::vector<const Members*>& groups);
    // The groups as they are now, empty ones left out.
    std::vector<Members> groups() const;

    // Takes the best move or swap until none gains anything.
    void descend();
    // What the groups keep, computed anew from the products of rows: the SSE is a constant less this.
    double value() const;
    // Differences below this may be rounding.
    double rounding() const { return 1e-12 * total_; }

    int rows() const { return n_; }
    int slots() const { return slots_; }
    int home(int row) const { return home_[row]; }  // -1: in no group
    int size(int group) const { return size_[group]; }
    bool complete(int group) const { return people_[group] >= k_; }
    bool has_room(int group) const { return size_[group] > 0 && size_[group] < most_; }
    bool has_owner_of(int group, int row) const { return held_[group * n_ + owner_[row]] > 0; }
    double apart(int row, int other) const { return dot_[row * n_ + row] + dot_[other * n_ + other] - 2 * dot_[row * n_ + other]; }
    // How much the SSE grows where a row that is in no group joins this one.
    double cost_of_joining(int row, int group) const;
    void put(int row, int group);  // -1: in no group

private:
    struct Change {
        double gain;
        int row, other;  // other: a row to swap with, or -1
        int group;       // where the row moves
    };

    void multiply(Matrix data);
    void add(int row, int group, int sign);
    Change best_change() const;
    void best_move(int row, Change& best) const;
    void best_swap(int row, Change& best) const;
    bool may_leave(int row) const;
    bool may_swap(int row, int other) const;

    Matrix data_;
    std::span<const int64_t> owner_of_;
    int64_t k_;
    bool distinct_;
    int most_;  // rows of a group
    int n_ = 0, slots_ = 0;
    double total_ = 0;             // of the rows' squares
    std::vector<int64_t> row_;     // which row of the data
    std::vector<int> owner_;       // row: numbered from 0 in the pool
    std::vector<int> home_;        // row: its group
    std::vector<double> centred_;  // row, attribute: relative to the mean of the pool
    std::vector<double> dot_;      // row, row: products
    std::vector<double> reach_;    // row, group: product with the group's sum
    std::vector<double> norm_;     // group: square of its sum
    std::vector<int> size_, people_;
    std::vector<int> held_;  // group, owner: rows
};

}  // namespace shoal
