#include "search.hpp"

#include <functional>
#include <numeric>

namespace shoal {

Search::Search(const Rows& vocabularies, std::span<const int64_t> owner, const Terms& terms, Task& task)
    : rows_(vocabularies), owner_(owner), terms_(terms), task_(task), deepest_(deepest_drop(terms)), alive_(rows_.size(), 1),
      length_(rows_.size()), by_length_(rows_.size()), rows_alive_(rows_.size()), rows_indexed_(rows_.size()), credits_(rows_.size()) {
    int64_t owners = 0;
    for (int64_t o : owner_) owners = std::max(owners, o + 1);
    excluded_.assign(owners, 0);
    owned_.assign(owners, 0);
    for (int64_t row = 0; row < rows_.size(); ++row) {
        length_[row] = rows_.length(row);
        owners_alive_ += owned_[owner_[row]]++ == 0;
    }
    std::iota(by_length_.begin(), by_length_.end(), 0);
    std::ranges::stable_sort(by_length_, {}, [&](int32_t row) { return length_[row]; });
    index_.build(rows_, alive_, terms_, deepest_, task_);
}

void Search::remove(int64_t row) {
    alive_[row] = 0;
    --rows_alive_;
    owners_alive_ -= --owned_[owner_[row]] == 0;
}

// Lists full of rows that are gone are rebuilt: at most logarithmically often.
void Search::refresh() {
    if (rows_indexed_ - rows_alive_ <= rows_indexed_ / 4) return;
    index_.build(rows_, alive_, terms_, deepest_, task_);
    rows_indexed_ = rows_alive_;
}

int64_t Search::nearest(Comparison& comparison, const Centre& centre) {
    refresh();
    collect(comparison, centre);
    // A vocabulary with nothing relevant in common costs its length: of those only the shortest can win.
    Candidate best{kUnrelated, std::numeric_limits<int32_t>::max()};
    auto match = [&](int32_t row) {
        ++matched_;
        best = std::min(best, Candidate{comparison.distance(vocabulary(rows_, row), best.least), row});
    };
    if (const int64_t row = shortest(); row >= 0) match(static_cast<int32_t>(row));
    std::ranges::make_heap(candidates_, std::greater<>());
    while (!candidates_.empty() && candidates_.front() < best) {
        match(candidates_.front().row);
        std::ranges::pop_heap(candidates_, std::greater<>());
        candidates_.pop_back();
    }
    return best.least == kUnrelated ? -1 : best.row;
}

// The vocabularies that share anything relevant with the centre, each with the least distance it may have.
void Search::collect(const Comparison& comparison, const Centre& centre) {
    const int64_t price = comparison.price();
    for (std::size_t b = 0; b < centre.bags.size(); ++b) credits_.credit(index_, comparison.reach(b), centre.bags[b].copies, 2 * price);
    candidates_.clear();
    for (int32_t row : credits_.touched()) {
        if (!alive_[row] || excluded_[owner_[row]]) continue;
        const int64_t most = std::min(credits_.saving(row), 2 * price * std::min(comparison.size(), length_[row]));
        candidates_.push_back({price * (comparison.size() + length_[row]) - most, row});
    }
    credits_.clear();
}

int64_t Search::shortest() {
    while (first_alive_ < by_length_.size() && !alive_[by_length_[first_alive_]]) ++first_alive_;
    for (std::size_t i = first_alive_; i < by_length_.size(); ++i)
        if (const int32_t row = by_length_[i]; alive_[row] && !excluded_[owner_[row]]) return row;
    return -1;
}

}  // namespace shoal
