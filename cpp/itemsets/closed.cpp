#include "itemsets/closed.hpp"

#include <algorithm>
#include <queue>
#include <set>
#include <utility>

namespace shoal {

namespace {

using Tokens = std::vector<int32_t>;

struct Pattern {
    int64_t support;
    Tokens tokens;
    int32_t core;  // the token whose addition made it; only later tokens extend it

    // Better first: more support, then the order of the tokens.
    bool operator<(const Pattern& other) const { return support != other.support ? support > other.support : tokens < other.tokens; }
};

// Bags as sets of tokens: item i, c times, is the tokens first[i] .. first[i] + c - 1.
class Encoding {
public:
    explicit Encoding(const Rows& bags) {
        int32_t items = 0;
        for (int32_t id : bags.ids) items = std::max(items, id + 1);
        std::vector<int32_t> most(items, 0);
        for (std::size_t e = 0; e < bags.ids.size(); ++e) most[bags.ids[e]] = std::max(most[bags.ids[e]], bags.counts[e]);
        for (int32_t i = 0; i < items; ++i) item_.insert(item_.end(), most[i], i);
        std::vector<int32_t> first(items, 0);
        for (int32_t i = 1; i < items; ++i) first[i] = first[i - 1] + most[i - 1];
        start_.push_back(0);
        for (int64_t row = 0; row < bags.size(); ++row) {
            const auto ids = bags.row_ids(row), counts = bags.row_counts(row);
            for (std::size_t e = 0; e < ids.size(); ++e)
                for (int32_t c = 0; c < counts[e]; ++c) tokens_.push_back(first[ids[e]] + c);
            start_.push_back(static_cast<int64_t>(tokens_.size()));
        }
    }

    int64_t rows() const { return static_cast<int64_t>(start_.size()) - 1; }
    int32_t size() const { return static_cast<int32_t>(item_.size()); }
    std::span<const int32_t> row(int64_t i) const {
        return {tokens_.data() + start_[i], static_cast<std::size_t>(start_[i + 1] - start_[i])};
    }

    void decode(const Tokens& tokens, OwnedRows& out) const {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (i > 0 && item_[tokens[i]] == item_[tokens[i - 1]]) {
                ++out.counts.back();
            } else {
                out.ids.push_back(item_[tokens[i]]);
                out.counts.push_back(1);
            }
        }
        out.indptr.push_back(static_cast<int64_t>(out.ids.size()));
    }

private:
    std::vector<int32_t> item_;  // of each token
    std::vector<int64_t> start_;
    Tokens tokens_;
};

class Miner {
public:
    Miner(const Rows& bags, std::span<const int64_t> weight, int64_t n, int64_t shortest, Task& task)
        : data_(bags),
          weight_(weight),
          n_(static_cast<std::size_t>(n)),
          shortest_(static_cast<std::size_t>(shortest)),
          task_(task),
          holders_(data_.size()),
          count_(data_.size(), 0),
          within_(data_.size(), 0),
          bucket_(data_.size()) {}

    ClosedPatterns run() {
        start();
        task_.begin(static_cast<int64_t>(n_));
        while (!frontier_.empty()) {
            const Pattern next = *frontier_.begin();
            frontier_.erase(frontier_.begin());
            if (best_.size() == n_ && next.support <= std::prev(best_.end())->support) break;
            extend(next);
            task_.step();
        }
        ClosedPatterns out;
        out.patterns.indptr.push_back(0);
        for (const Pattern& p : best_) {
            data_.decode(p.tokens, out.patterns);
            out.support.push_back(p.support);
        }
        return out;
    }

private:
    // The smallest closed pattern: what every record holds.
    void start() {
        std::vector<int32_t> all;
        for (int64_t row = 0; row < data_.rows(); ++row) {
            if (weight_[row] == 0) continue;
            all.push_back(static_cast<int32_t>(row));
            for (int32_t t : data_.row(row)) holders_[t].push_back(static_cast<int32_t>(row));
        }
        if (all.empty() || n_ == 0) return;
        int64_t total = 0;
        for (int32_t row : all) total += weight_[row];
        found({total, closure(all, total), -1});
    }

    void found(Pattern&& p) {
        if (!p.tokens.empty() && p.tokens.size() >= shortest_) {
            best_.insert(p);
            if (best_.size() > n_) best_.erase(std::prev(best_.end()));
        }
        frontier_.insert(std::move(p));
    }

    // Every token that all of these rows hold.
    Tokens closure(const std::vector<int32_t>& rows, int64_t support) {
        seen_.clear();
        for (int32_t row : rows)
            for (int32_t t : data_.row(row)) {
                if (within_[t] == 0) seen_.push_back(t);
                within_[t] += weight_[row];
            }
        Tokens closed;
        for (int32_t t : seen_) {
            if (within_[t] == support) closed.push_back(t);
            within_[t] = 0;
        }
        std::ranges::sort(closed);
        return closed;
    }

    void rows_of(const Tokens& tokens, std::vector<int32_t>& out) const {
        out.clear();
        if (tokens.empty()) {
            for (int64_t row = 0; row < data_.rows(); ++row)
                if (weight_[row] > 0) out.push_back(static_cast<int32_t>(row));
            return;
        }
        const int32_t rarest = *std::ranges::min_element(tokens, {}, [&](int32_t t) { return holders_[t].size(); });
        for (int32_t row : holders_[rarest])
            if (std::ranges::includes(data_.row(row), tokens)) out.push_back(row);
    }

    bool hopeless(int64_t support) const { return best_.size() == n_ && support < std::prev(best_.end())->support; }

    // All closed patterns one step below: each later token that is frequent enough, with all that follows from it.
    void extend(const Pattern& p) {
        rows_of(p.tokens, rows_);
        touched_.clear();
        for (int32_t row : rows_)
            for (int32_t t : data_.row(row)) {
                if (t <= p.core) continue;
                if (count_[t] == 0) touched_.push_back(t);
                count_[t] += weight_[row];
            }
        std::ranges::sort(touched_, [&](int32_t a, int32_t b) { return std::pair(-count_[a], a) < std::pair(-count_[b], b); });
        for (int32_t row : rows_)
            for (int32_t t : data_.row(row))
                if (t > p.core && count_[t] < p.support && !hopeless(count_[t])) bucket_[t].push_back(row);
        for (int32_t t : touched_) {
            const int64_t support = std::exchange(count_[t], 0);
            if (support < p.support && !hopeless(support)) {
                Tokens closed = closure(bucket_[t], support);
                if (keeps_prefix(p.tokens, closed, t)) found({support, std::move(closed), t});
                task_.check();
            }
            bucket_[t].clear();
        }
    }

    static bool keeps_prefix(const Tokens& before, const Tokens& after, int32_t token) {
        const auto mine = std::ranges::lower_bound(before, token), theirs = std::ranges::lower_bound(after, token);
        return mine - before.begin() == theirs - after.begin();
    }

    const Encoding data_;
    std::span<const int64_t> weight_;
    std::size_t n_, shortest_;
    Task& task_;
    std::vector<std::vector<int32_t>> holders_;
    std::vector<int64_t> count_, within_;
    std::vector<std::vector<int32_t>> bucket_;
    std::vector<int32_t> rows_, touched_, seen_;
    std::set<Pattern> best_, frontier_;
};

}  // namespace

ClosedPatterns top_closed(const Rows& bags, std::span<const int64_t> weight, int64_t n, int64_t shortest, Task& task) {
    return Miner(bags, weight, n, shortest, task).run();
}

}  // namespace shoal
