// The group of k with the least excess: the credits of its members beyond 2k times the value of their meet.
//
// Counts are written as bits, one for each unit of a count of the record that is asked for, so that a meet is an AND, and its value a sum of
// table entries, one for each byte. Records with the same bits differ in their credits only. The search is branch and bound: whoever joins
// last in the order of values decides what the group can tell at most, and the cheapest others the least that it can cost.
#pragma once

#include "base/task.hpp"
#include "lattice/meets.hpp"

namespace shoal {

class Tightest {
public:
    Tightest(const Scored& rows, std::span<const int64_t> copies, std::span<const int64_t> credits, int64_t patience,
             const Task& task);

    // A lower bound on the excess of every group of k with this row: the least excess itself, unless the search takes more steps than
    // `patience`. `group` is empty or such a group; afterwards it is the one with the least excess that was found.
    int64_t excess(int64_t row, Group& group);
    // The steps of the last search.
    int64_t steps() const { return steps_; }

private:
    using Word = uint64_t;

    // A record that may join: what the group tells with it.
    struct Candidate {
        int64_t value;
        int64_t credit;
        int64_t row;
        std::size_t bits;      // its place in `bits_`
        int64_t least = 0;     // no group with it has a smaller excess
        std::size_t kind = 0;  // of its bits among those of the meet
    };
    using Candidates = std::vector<Candidate>;

    void number_bits(int64_t row);
    Candidates all_others(int64_t row);
    std::size_t kind_of(const Word* bits);
    void set_bits(int64_t row, Word* bits) const;
    int64_t value_of(const Word* bits) const;
    int64_t value_with(const Word* meet, const Word* bits) const;
    void meet_of(const Word* meet, const Word* bits, Word* out) const;
    void merge_kinds(Candidates& from, const Word* meet, int64_t wanted) const;
    void bound(Candidates& from, int64_t credit, int64_t wanted);
    void keep_promising(Candidates& from, int64_t credit, int64_t wanted);
    void try_greedily(const Candidates& from, int64_t row);
    void try_group(const Group& group);
    void search(Candidates from, int64_t credit);
    void finish(const Candidates& from);
    const Word* meet(std::size_t depth) const { return meets_.data() + depth * words_; }
    Word* meet(std::size_t depth) { return meets_.data() + depth * words_; }

    const Scored& rows_;
    std::span<const int64_t> copies_, credits_;
    int64_t patience_;
    const Task& task_;
    std::vector<int32_t> first_bit_;  // of each node of the row, -1 for others
    std::vector<int32_t> most_;       // the row's count of each of its nodes
    std::vector<int64_t> tables_;     // the value of each byte of bits, for each of its 256 states
    std::vector<Word> bits_, meets_;
    std::vector<int64_t> places_;  // a hash table of the kinds of bits
    std::size_t words_ = 0, bytes_ = 0;
    Group members_, *group_ = nullptr;
    std::vector<int64_t> last_;
    int64_t least_ = 0;       // the least excess that was found
    int64_t unexplored_ = 0;  // the least bound of the branches that were left out for want of patience
    int64_t steps_ = 0;
};

}  // namespace shoal
