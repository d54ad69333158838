// The nearest of many term sets to a centre, exact, matching only those that can win.
//
// Rows are sorted by length. A matching leaves at least the difference of the lengths without a partner, so once some distance is
// known only a window of lengths can be nearer; within it the index tells who shares anything relevant and how much that could
// save at best.
#pragma once

#include "semantic/centre.hpp"
#include "semantic/credits.hpp"

namespace shoal {

class Search {
public:
    // Rows by rising length; `rank` decides ties, the lowest wins; owners are numbered from 0.
    Search(const Rows& term_sets, std::span<const int64_t> rank, std::span<const int64_t> owner, const TermDistance& terms, Task& task);

    bool alive(int64_t row) const { return alive_[row] != 0; }
    int64_t owners_alive() const { return owners_alive_; }
    void remove(int64_t row);
    void exclude(int64_t owner, bool out) { excluded_[owner] = out; }

    // Whether a row has no cluster yet, and its owner is not excluded.
    bool eligible(int64_t row) const { return alive_[row] && !excluded_[owner_[row]]; }

    // The row nearest to the centre at which the comparison is aimed, -1 where none is left.
    int64_t nearest(Comparison& comparison, const Centre& centre);

    int64_t matched() const { return matched_; }

private:
    struct Candidate {
        int64_t least;  // no distance can be smaller
        int64_t rank;
        int64_t row;
        auto operator<=>(const Candidate&) const = default;
    };

    Candidate candidate(int64_t row, int64_t least) const { return {least, rank_[row], row}; }
    void match(int64_t row, Comparison& comparison, Candidate& best);
    void collect(const Comparison& comparison, const Centre& centre, const Candidate& best);
    int64_t shortest();
    void refresh();

    const Rows& rows_;
    std::span<const int64_t> rank_, owner_;
    const TermDistance& terms_;
    Task& task_;
    int32_t deepest_;
    Index index_;
    std::vector<uint8_t> alive_, excluded_;
    std::vector<int64_t> length_, owned_;
    int64_t first_alive_ = 0, rows_alive_, rows_indexed_, owners_alive_ = 0, matched_ = 0;
    Credits credits_;
    std::vector<Candidate> candidates_;
    std::vector<int64_t> promising_;  // rows that came close to winning the last search
};

}  // namespace shoal
