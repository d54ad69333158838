#include "semantic/search.hpp"

#include <functional>

namespace shoal {

namespace {

constexpr std::size_t kPromising = 4;

}  // namespace

Search::Search(const Rows& term_sets, std::span<const int64_t> rank, std::span<const int64_t> owner, const TermDistance& terms, Task& task)
    : rows_(term_sets),
      rank_(rank),
      owner_(owner),
      terms_(terms),
      task_(task),
      deepest_(deepest_drop(terms)),
      alive_(rows_.size(), 1),
      length_(rows_.size()),
      rows_alive_(rows_.size()),
      rows_indexed_(rows_.size()),
      credits_(rows_.size()) {
    int64_t owners = 0;
    for (int64_t o : owner_) owners = std::max(owners, o + 1);
    excluded_.assign(owners, 0);
    owned_.assign(owners, 0);
    for (int64_t row = 0; row < rows_.size(); ++row) {
        length_[row] = rows_.length(row);
        owners_alive_ += owned_[owner_[row]]++ == 0;
    }
    index_.build(rows_, alive_, terms_, deepest_, task_);
}

void Search::remove(int64_t row) {
    alive_[row] = 0;
    --rows_alive_;
    owners_alive_ -= --owned_[owner_[row]] == 0;
}

// Lists full of rows that are gone are rebuilt: at most logarithmically often.
void Search::refresh() {
    if (rows_indexed_ - rows_alive_ <= rows_indexed_ / 8) return;
    index_.build(rows_, alive_, terms_, deepest_, task_);
    rows_indexed_ = rows_alive_;
}

int64_t Search::nearest(Comparison& comparison, const Centre& centre) {
    refresh();
    Candidate best{kUnrelated, 0, -1};
    // A term set with nothing relevant in common costs its length: of those only the shortest can win.
    if (const int64_t row = shortest(); row >= 0) match(row, comparison, best);
    for (int64_t row : promising_)
        if (eligible(row)) match(row, comparison, best);
    collect(comparison, centre, best);
    promising_.clear();
    std::ranges::make_heap(candidates_, std::greater<>());
    while (!candidates_.empty() && candidates_.front() < best) {
        const int64_t row = candidates_.front().row;
        if (promising_.size() < kPromising) promising_.push_back(row);
        match(row, comparison, best);
        std::ranges::pop_heap(candidates_, std::greater<>());
        candidates_.pop_back();
    }
    return best.row;
}

void Search::match(int64_t row, Comparison& comparison, Candidate& best) {
    ++matched_;
    best = std::min(best, candidate(row, comparison.distance(term_set(rows_, row), best.least)));
}

// The term sets that may beat the best known, each with the least distance it may have.
void Search::collect(const Comparison& comparison, const Centre& centre, const Candidate& best) {
    const int64_t price = comparison.price(), size = comparison.size();
    const int64_t slack = price > 0 ? std::min(best.least / price, kUnrelated) : kUnrelated;
    const int64_t first = std::ranges::lower_bound(length_, size - slack) - length_.begin();
    const int64_t last = std::ranges::upper_bound(length_, slack < kUnrelated ? size + slack : slack) - length_.begin();
    for (std::size_t b = 0; b < centre.bags.size(); ++b)
        credits_.credit(index_, comparison.reach(b), centre.bags[b].copies, 2 * price, first, last);
    candidates_.clear();
    for (int32_t row : credits_.touched()) {
        if (!eligible(row)) continue;
        const int64_t most = std::min(credits_.saving(row), 2 * price * std::min(size, length_[row]));
        const Candidate found = candidate(row, price * (size + length_[row]) - most);
        if (found < best) candidates_.push_back(found);
    }
    credits_.clear();
}

int64_t Search::shortest() {
    while (first_alive_ < rows_.size() && !alive_[first_alive_]) ++first_alive_;
    for (int64_t row = first_alive_; row < rows_.size(); ++row)
        if (eligible(row)) return row;
    return -1;
}

}  // namespace shoal
