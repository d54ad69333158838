#include "semantic/represent.hpp"

#include <functional>
#include <numeric>

namespace shoal {

namespace {

class Representing {
public:
    Representing(const Rows& originals, const Rows& published, const TermDistance& terms)
        : originals_(originals), published_(published), terms_(terms) {
        for (int64_t level : terms.level)
            if (level < kFar) farthest_ = std::max(farthest_, 2 * level * terms.units);
    }

    void record(int64_t original, int64_t row, Representation& out) {
        mine_ = originals_.row_ids(original);
        theirs_ = published_.row_ids(row);
        const auto amounts = originals_.row_counts(original), copies = published_.row_counts(row);
        left_.assign(amounts.begin(), amounts.end());
        free_.assign(copies.begin(), copies.end());
        row_ = row;
        for_themselves(out);
        for_those_below(out);
        for_similar_ones(out);
    }

private:
    void note(std::size_t term, std::size_t node, int32_t times, Representation& out) {
        left_[term] -= times;
        free_[node] -= times;
        out.row.push_back(row_);
        out.published.push_back(theirs_[node]);
        out.original.push_back(mine_[term]);
        out.times.push_back(times);
    }

    void for_themselves(Representation& out) {
        for (std::size_t i = 0, j = 0; i < mine_.size() && j < theirs_.size();) {
            if (mine_[i] == theirs_[j]) note(i, j, std::min(left_[i], free_[j]), out);
            const bool next_mine = mine_[i] <= theirs_[j], next_theirs = theirs_[j] <= mine_[i];
            i += next_mine;
            j += next_theirs;
        }
    }

    void for_those_below(Representation& out) {
        order_.resize(theirs_.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::ranges::stable_sort(order_, std::greater<>(), [&](std::size_t j) { return terms_.level[theirs_[j]]; });
        for (std::size_t j : order_) {
            auto i = static_cast<std::size_t>(std::ranges::lower_bound(mine_, theirs_[j]) - mine_.begin());
            for (; free_[j] > 0 && i < mine_.size() && mine_[i] < terms_.end[theirs_[j]]; ++i)
                if (left_[i] > 0) note(i, j, std::min(left_[i], free_[j]), out);
        }
    }

    void for_similar_ones(Representation& out) {
        edges_.clear();
        for (std::size_t i = 0; i < mine_.size(); ++i)
            for (std::size_t j = 0; j < theirs_.size(); ++j) {
                if (left_[i] == 0 || free_[j] == 0) continue;
                if (const int64_t cost = terms_.between(mine_[i], theirs_[j]); cost <= terms_.eps)
                    edges_.push_back({static_cast<int32_t>(i), static_cast<int32_t>(j), cost});
            }
        if (edges_.empty()) return;
        int64_t units = 1;
        for (int32_t n : left_) units += n;
        supply_ = left_, capacity_ = free_;
        transport_.solve(edges_, supply_, capacity_, units * farthest_);  // so dear that every match that can be made is made
        for (const Edge& e : edges_)
            if (e.flow > 0) note(e.row, e.column, e.flow, out);
    }

    const Rows &originals_, &published_;
    const TermDistance& terms_;
    int64_t row_ = 0, farthest_ = 0;
    std::span<const int32_t> mine_, theirs_;
    std::vector<int32_t> left_, free_, supply_, capacity_;
    std::vector<std::size_t> order_;
    std::vector<Edge> edges_;
    Transport transport_;
};

}  // namespace

Representation represent(const Rows& originals, const Rows& published, std::span<const int64_t> row, const TermDistance& terms,
                         Task& task) {
    Representation out;
    Representing work(originals, published, terms);
    task.begin(originals.size());
    for (int64_t i = 0; i < originals.size(); ++i) {
        if (row[i] >= 0) work.record(i, row[i], out);
        if (i % 256 == 0) task.step(std::min<int64_t>(256, originals.size() - i));
    }
    return out;
}

}  // namespace shoal
