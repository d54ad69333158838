// Which published rows match best what an attacker knows about people: an index from nodes to the rows that hold them.
//
// A known item matches a row by the lowest published node at or above it, with the weight of that node. Weights never rise towards the
// root, so the first match on the way up is the heaviest. An item that a person is known to lack counts against the rows that hold it. The
// score of a row is the sum, and rows that nothing touches have a score of zero and are never visited: the work for a person is the number
// of rows that hold a node at or above one of the known items.
#pragma once

#include <span>
#include <vector>

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

struct NumberLists {  // list i is values[indptr[i] .. indptr[i+1])
    std::span<const int64_t> indptr;
    std::span<const int32_t> values;

    int64_t size() const { return static_cast<int64_t>(indptr.size()) - 1; }
    std::span<const int32_t> of(int64_t i) const { return values.subspan(indptr[i], indptr[i + 1] - indptr[i]); }
};

// What is known about several people. `counts` has the person's count of each known item, zero if it is not known, and `own` the weight of
// a row with the same count. `mine` are the rows of each person. If `limited`, only the rows in `possible` can be a person's: they score one
// more, and all others have no score.
struct Knowledge {
    NumberLists items;
    std::span<const int32_t> counts;
    std::span<const int64_t> own;
    NumberLists absent, mine, possible;
    bool limited;
};

// For each person: the best score and the second best one that differs, both at least zero unless every row has a score; the published
// records that match best, the person's rows among them; sums of scores and of their squares over all published records; and, on request,
// the rows that match best, rising, which are none if all rows without a score are best.
struct BestMatches {
    std::vector<int64_t> top, second, copies, among;
    std::vector<double> sum, square;
    std::vector<int64_t> indptr;
    std::vector<int32_t> rows;
};

class MatchIndex {
public:
    // The rows, the spans of tree and weights, and the published copies of each row must outlive the index.
    MatchIndex(const Rows& rows, std::span<const int32_t> parent, std::span<const int64_t> weights, std::span<const int64_t> copies);

    BestMatches best(const Knowledge& known, bool with_rows, int threads, Task& task) const;

    // The rows that may be the record of somebody with exactly these items: each of their nodes is at or above one of them.
    OwnedRows possible(const Rows& records, int threads, Task& task) const;

    int64_t rows() const { return rows_.size(); }
    int64_t nodes() const { return static_cast<int64_t>(parent_.size()); }

private:
    struct Scratch;

    template <class Body>
    void each_holder(int32_t node, Body&& body) const {
        for (int64_t at = start_[node]; at < start_[node + 1]; ++at) body(holder_[at], count_[at]);
    }
    void score(const Knowledge& known, int64_t person, Scratch& scratch) const;
    void judge(const Knowledge& known, int64_t person, Scratch& scratch, bool with_rows, BestMatches& found,
               std::vector<int32_t>& best) const;

    Rows rows_;
    std::span<const int32_t> parent_;
    std::span<const int64_t> weights_, copies_;
    int64_t published_ = 0;
    std::vector<int64_t> start_;
    std::vector<int32_t> holder_, count_;
};

}  // namespace shoal
