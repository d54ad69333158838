// The nearest of many vocabularies to a centre, exact, matching only those that can win.
#pragma once

#include "centre.hpp"
#include "credits.hpp"

namespace shoal {

class Search {
  public:
    // Rows in the order that decides ties; owners are numbered from 0.
    Search(const Rows& vocabularies, std::span<const int64_t> owner, const Terms& terms, Task& task);

    bool alive(int64_t row) const { return alive_[row] != 0; }
    int64_t owners_alive() const { return owners_alive_; }
    void remove(int64_t row);
    void exclude(int64_t owner, bool out) { excluded_[owner] = out; }

    // The row nearest to the centre the comparison is aimed at, -1 where none is left.
    int64_t nearest(Comparison& comparison, const Centre& centre);

    int64_t matched() const { return matched_; }

  private:
    struct Candidate {
        int64_t least;  // no distance can be smaller
        int32_t row;
        auto operator<=>(const Candidate&) const = default;
    };

    void collect(const Comparison& comparison, const Centre& centre);
    int64_t shortest();
    void refresh();

    const Rows& rows_;
    std::span<const int64_t> owner_;
    const Terms& terms_;
    Task& task_;
    int32_t deepest_;
    Index index_;
    std::vector<uint8_t> alive_, excluded_;
    std::vector<int64_t> length_, owned_;
    std::vector<int32_t> by_length_;
    std::size_t first_alive_ = 0;
    int64_t rows_alive_, rows_indexed_, owners_alive_ = 0, matched_ = 0;
    Credits credits_;
    std::vector<Candidate> candidates_;
};

}  // namespace shoal
