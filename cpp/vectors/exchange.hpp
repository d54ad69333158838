// Two groups of rows that exchange rows as long as that brings rows nearer to the centroids of their groups, for groups of any size and
// attributes of any kind.
//
// The loss of a group is the sum of squared distances to its centroid, attribute by attribute, each in units of its own spread. Of each
// group the rows that lie nearest to the other one, relative to their own, are tried: moves of one, and swaps of two. The best is made, and
// so on until none of these reduces the loss. A row costs time in the attributes and their different values in the group, not in rows.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vectors/pool.hpp"

namespace shoal {

// How an attribute is measured. Numbers: squared differences to the mean. Ranks: to the lower median. Categories: 1 for each value other
// than the most frequent. Nodes: the square of Wu and Palmer's distance to the lowest common ancestor.
enum class Kind : std::uint8_t { number, rank, category, node };

struct KindColumn {
    Kind kind;
    const double* codes;  // of the first row; whole numbers from 0 on, unless they are numbers
    int64_t stride;       // between two rows
    double unit;          // of squared distances
    std::span<const int32_t> parent, end, level;  // of nodes, in preorder; the root has level 1

    double code(int64_t row) const { return codes[row * stride]; }
    // The squared distance of a value to a centroid.
    double squared(double code, double centroid) const;
};

// What is known of the rows of a group.
class KindGroup {
public:
    explicit KindGroup(std::span<const KindColumn> columns) : columns_(columns), tallies_(columns.size()) {}

    void add(int64_t row) { change(-1, row); }
    void change(int64_t out, int64_t in);  // -1: none
    double loss() const { return loss_; }
    double loss_after(int64_t out, int64_t in) const;
    double distance(int64_t row) const;
    double centroid(std::size_t column) const { return tallies_[column].centroid; }

private:
    using Count = std::pair<int32_t, int32_t>;  // a value and its rows
    struct Tally {
        double sum = 0, squares = 0, centroid = 0, loss = 0;
        std::vector<Count> counts;  // by value; not of numbers
    };

    static void tally(const KindColumn& column, Tally& tally, int64_t rows);
    void take(std::size_t column, Tally& tally, int64_t out, int64_t in) const;

    std::span<const KindColumn> columns_;
    std::vector<Tally> tallies_;
    int64_t rows_ = 0;
    double loss_ = 0;
};

class Exchange {
public:
    // `distinct`: no owner has two rows; groups then have at most 2k-1.
    Exchange(std::span<const KindColumn> columns, std::span<const int64_t> owner, int64_t k, bool distinct)
        : columns_(columns), owner_(owner), k_(k), distinct_(distinct) {}

    KindGroup group_of(const Members& members) const;
    // Whether anything changed. `first` and `second` know the members of `a` and `b`.
    bool improve(Members& a, KindGroup& first, Members& b, KindGroup& second) const;

private:
    using Owners = std::unordered_map<int64_t, int64_t>;  // rows of each owner
    struct Side {
        Members& members;
        KindGroup& group;
        Owners owners;
        std::vector<int64_t> candidates;  // rows that may leave
    };
    struct Trade {
        double gain = 0;
        int64_t first = -1, second = -1;  // the row that leaves each group; -1: none
    };

    Owners owners_of(const Members& members) const;
    void find_candidates(Side& side, const KindGroup& other) const;
    Trade best_trade(const Side& first, const Side& second) const;
    bool allowed(const Side& side, int64_t out, int64_t in) const;
    void make(const Trade& trade, Side& first, Side& second) const;
    void replace(Side& side, int64_t out, int64_t in) const;

    std::span<const KindColumn> columns_;
    std::span<const int64_t> owner_;
    int64_t k_;
    bool distinct_;
};

}  // namespace shoal
