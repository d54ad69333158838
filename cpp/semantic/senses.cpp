#include "semantic/senses.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "base/parallel.hpp"

namespace shoal {

namespace {

constexpr int32_t kSums = 2 * kDeepest + 1;

// A similarity as level(common) and the sum of the two levels, in 16 bits; 0 where nothing is in common.
using Code = uint16_t;

Code code_of(int32_t level, int32_t sum) { return static_cast<Code>(level * kSums + sum); }

std::array<int64_t, (kDeepest + 1) * kSums> similarities() {
    std::array<int64_t, (kDeepest + 1) * kSums> found{};
    for (int32_t level = 1; level <= kDeepest; ++level)
        for (int32_t sum = 2 * level; sum < kSums; ++sum) found[code_of(level, sum)] = level * (2 * kAlike / sum);  // exact
    return found;
}

const auto kSimilarity = similarities();

struct Meeting {
    Code code = 0;
    int32_t common = -1;
};

// The common node of two terms that makes them most alike.
Meeting meeting(const Senses& senses, int32_t a, int32_t b) {
    const auto left = senses.terms.row_ids(a), right = senses.terms.row_ids(b);
    const auto left_level = senses.terms.row_counts(a), right_level = senses.terms.row_counts(b);
    Meeting best;
    int32_t depth = 0;
    for (std::size_t i = 0, j = 0; i < left.size() && j < right.size();) {
        if (left[i] != right[j]) {
            left[i] < right[j] ? ++i : ++j;
            continue;
        }
        const int32_t level = senses.level[left[i]];
        const Code code = code_of(level, left_level[i] + right_level[j]);
        const int64_t gain = kSimilarity[code] - kSimilarity[best.code];
        if (gain > 0 || (gain == 0 && level > depth)) {
            best = {code, left[i]};
            depth = level;
        }
        ++i, ++j;
    }
    return best;
}

// The terms that documents have, numbered by how many documents have them, the rarest first.
struct RankedTerms {
    std::vector<int32_t> terms;  // by number
    std::vector<int32_t> ids;    // of the documents: numbers in place of terms
};

RankedTerms ranked_terms(const Rows& documents, int64_t terms) {
    std::vector<int32_t> often(terms), number(terms);
    for (int64_t i = 0; i < documents.size(); ++i)
        for (const int32_t term : documents.row_ids(i)) ++often[term];
    RankedTerms found;
    for (int32_t term = 0; term < terms; ++term)
        if (often[term]) found.terms.push_back(term);
    std::ranges::stable_sort(found.terms, {}, [&](int32_t term) { return often[term]; });
    for (std::size_t i = 0; i < found.terms.size(); ++i) number[found.terms[i]] = static_cast<int32_t>(i);
    for (int64_t i = 0; i < documents.size(); ++i)
        for (const int32_t term : documents.row_ids(i)) found.ids.push_back(number[term]);
    return found;
}

// Codes of all pairs of ranked terms, each pair once: those of a term with all before it lie side by side.
class PairTable {
public:
    PairTable(const Senses& senses, const std::vector<int32_t>& terms, int threads, Task& task)
        : n_(static_cast<int64_t>(terms.size())), codes_(start(n_)) {
        parallel_blocks(n_, 16, threads, task, [&](int64_t begin, int64_t end, int) {
            for (int64_t a = begin; a < end; ++a) {
                for (int64_t b = 0; b <= a; ++b) codes_[start(a) + b] = meeting(senses, terms[a], terms[b]).code;
                task.check();
            }
        });
    }
    // For each term in turn its codes with these terms, side by side; in the place of every other of `width` is `filler`.
    // Most occurrences in documents are of frequent terms, so most codes are read one after the other.
    void copy(std::span<const int32_t> own, std::size_t width, Code filler, std::vector<Code>& out) const {
        out.resize(static_cast<std::size_t>(n_) * width);
        for (int64_t first = 0; first < n_; first += kTile) {
            const int64_t last = std::min(n_, first + kTile);
            for (std::size_t at = 0; at < width; ++at) {
                Code* column = out.data() + at;
                const int64_t a = at < own.size() ? own[at] : -1, below = std::clamp(a + 1, first, last);
                if (a < 0) {
                    for (int64_t b = first; b < last; ++b) column[b * width] = filler;
                    continue;
                }
                for (int64_t b = first; b < below; ++b) column[b * width] = codes_[start(a) + b];
                for (int64_t b = below; b < last; ++b) column[b * width] = codes_[start(b) + a];
            }
        }
    }

private:
    static constexpr int64_t kTile = 64;  // terms, so that what is written at a time stays in the cache
    static std::size_t start(int64_t term) { return static_cast<std::size_t>(term) * (term + 1) / 2; }
    int64_t n_;
    std::vector<Code> codes_;
};

// Columns of a matrix of costs fill whole vectors; those without a term are too dear to be taken, because there are no more rows
// than terms.
constexpr std::size_t kLanes = 4;
constexpr int64_t kVacant = int64_t{1} << 60;

constexpr Code kNobody = (kDeepest + 1) * kSums;  // the code of a column without a term

std::array<int64_t, kNobody + 1> costs_of_codes() {
    std::array<int64_t, kNobody + 1> found{};
    for (Code code = 0; code < kNobody; ++code) found[code] = kAlike - kSimilarity[code];
    found[kNobody] = kVacant;
    return found;
}

const auto kCost = costs_of_codes();

std::size_t padded(std::size_t columns) { return (columns + kLanes - 1) / kLanes * kLanes; }

// Matches lists of terms, the shorter one to the longer; of equally long ones the first to the second.
class ListMatcher {
public:
    // A similarity is asked for by the place of a term in the first list and a term of the second.
    template <class Similarity>
    int64_t match(std::span<const int32_t> a, std::span<const int32_t> b, const Similarity& similarity) {
        turned_ = a.size() > b.size();
        const auto rows = turned_ ? b : a, columns = turned_ ? a : b;
        const std::size_t width = padded(columns.size());
        cost_.assign(rows.size() * width, kVacant);
        for (std::size_t i = 0; i < a.size(); ++i)
            for (std::size_t j = 0; j < b.size(); ++j) cost_[turned_ ? j * width + i : i * width + j] = kAlike - similarity(i, b[j]);
        return solved(rows.size(), width);
    }
    // The same for terms whose codes with the longer list lie side by side, `width` for each term: the total alone.
    int64_t match(std::span<const int32_t> rows, const Code* codes, std::size_t width) {
        cost_.resize(rows.size() * width);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Code* of_row = codes + rows[i] * width;
            int64_t* costs = cost_.data() + i * width;
            for (std::size_t j = 0; j < width; ++j) costs[j] = kCost[of_row[j]];
        }
        return solved(rows.size(), width);
    }
    // For each term of the first list its place in the second.
    std::vector<int32_t> partners(std::size_t terms) const {
        if (!turned_) return {found_.begin(), found_.end()};
        std::vector<int32_t> partner(terms, -1);
        for (std::size_t i = 0; i < found_.size(); ++i) partner[found_[i]] = static_cast<int32_t>(i);
        return partner;
    }

private:
    int64_t solved(std::size_t rows, std::size_t width) {
        found_ = assignment_.solve(cost_, static_cast<int32_t>(rows), static_cast<int32_t>(width));
        int64_t total = 0;
        for (std::size_t i = 0; i < rows; ++i) total += kAlike - cost_[i * width + found_[i]];
        return total;
    }

    bool turned_ = false;
    std::vector<int64_t> cost_;
    std::span<const int32_t> found_;
    Assignment assignment_;
};

}  // namespace

Likeness likeness(const Senses& senses, int32_t a, int32_t b) {
    const Meeting found = meeting(senses, a, b);
    return {kSimilarity[found.code], found.common};
}

TermMatching match_terms(const Senses& senses, std::span<const int32_t> a, std::span<const int32_t> b) {
    ListMatcher matcher;
    TermMatching found;
    found.similarity = matcher.match(a, b, [&](std::size_t at, int32_t term) { return likeness(senses, a[at], term).similarity; });
    found.partner = matcher.partners(a.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        found.common.push_back(found.partner[i] < 0 ? -1 : likeness(senses, a[i], b[found.partner[i]]).common);
    return found;
}

std::vector<int64_t> matched_similarities(const Senses& senses, const Rows& documents, int threads, Task& task) {
    const int64_t n = documents.size();
    const RankedTerms ranked = ranked_terms(documents, senses.terms.size());
    task.begin(static_cast<int64_t>(ranked.terms.size()) + n);
    const PairTable table(senses, ranked.terms, threads, task);
    const auto terms_of = [&](int64_t i) {
        return std::span(ranked.ids).subspan(documents.indptr[i] - documents.indptr[0], documents.row_ids(i).size());
    };
    // From the longest document on, so that the terms of the first of two are the columns; the work of each shrinks.
    std::vector<int64_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater<>(), [&](int64_t i) { return documents.row_ids(i).size(); });
    std::vector<int64_t> found(static_cast<std::size_t>(n * n));
    std::vector<ListMatcher> matchers(static_cast<std::size_t>(std::max(1, threads)));
    std::vector<std::vector<Code>> copies(matchers.size());  // of the codes of one document's terms, which are asked for again and again
    parallel_blocks(n, 1, threads, task, [&](int64_t begin, int64_t end, int worker) {
        for (int64_t place = begin; place < end; ++place) {
            const int64_t i = order[place];
            const std::size_t width = padded(terms_of(i).size());
            table.copy(terms_of(i), width, kNobody, copies[worker]);
            for (int64_t other = place; other < n; ++other) {
                const int64_t j = order[other];
                found[i * n + j] = found[j * n + i] = matchers[worker].match(terms_of(j), copies[worker].data(), width);
                task.check();
            }
        }
    });
    return found;
}

}  // namespace shoal
