#include "semantic/senses.hpp"

#include <algorithm>
#include <array>

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

// Codes of all pairs of terms, each pair once.
class PairTable {
public:
    PairTable(const Senses& senses, int threads, Task& task) : codes_(start(senses.terms.size())) {
        parallel_blocks(senses.terms.size(), 16, threads, task, [&](int64_t begin, int64_t end, int) {
            for (int64_t a = begin; a < end; ++a) {
                for (int64_t b = 0; b <= a; ++b)
                    codes_[start(a) + b] = meeting(senses, static_cast<int32_t>(a), static_cast<int32_t>(b)).code;
                task.check();
            }
        });
    }
    // The codes of one term with all terms up to a number, side by side.
    void copy_row(int32_t a, int32_t terms, Code* row) const {
        const auto own = codes_.begin() + static_cast<std::ptrdiff_t>(start(a));
        std::copy(own, own + std::min(a + 1, terms), row);
        for (int32_t b = a + 1; b < terms; ++b) row[b] = codes_[start(b) + a];
    }

private:
    static std::size_t start(int64_t term) { return static_cast<std::size_t>(term) * (term + 1) / 2; }
    std::vector<Code> codes_;
};

// Matches lists of terms, the shorter one to the longer; of equally long ones the first to the second. A similarity is asked for by the
// place of a term in the first list and a term of the second.
class ListMatcher {
public:
    template <class Similarity>
    int64_t match(std::span<const int32_t> a, std::span<const int32_t> b, const Similarity& similarity) {
        turned_ = a.size() > b.size();
        const auto rows = turned_ ? b : a, columns = turned_ ? a : b;
        const std::size_t width = (columns.size() + kLanes - 1) / kLanes * kLanes;
        cost_.assign(rows.size() * width, kNever);
        for (std::size_t i = 0; i < a.size(); ++i)
            for (std::size_t j = 0; j < b.size(); ++j) cost_[turned_ ? j * width + i : i * width + j] = kAlike - similarity(i, b[j]);
        found_ = assignment_.solve(cost_, static_cast<int32_t>(rows.size()), static_cast<int32_t>(width));
        int64_t total = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) total += kAlike - cost_[i * width + found_[i]];
        return total;
    }
    // For each term of the first list its place in the second.
    std::vector<int32_t> partners(std::size_t terms) const {
        if (!turned_) return {found_.begin(), found_.end()};
        std::vector<int32_t> partner(terms, -1);
        for (std::size_t i = 0; i < found_.size(); ++i) partner[found_[i]] = static_cast<int32_t>(i);
        return partner;
    }

private:
    // Columns fill whole vectors; those without a term are too dear to be taken, because there are no more rows than terms.
    static constexpr std::size_t kLanes = 4;
    static constexpr int64_t kNever = int64_t{1} << 60;

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
    task.begin(senses.terms.size() + n);
    const PairTable table(senses, threads, task);
    std::vector<int64_t> found(static_cast<std::size_t>(n * n));
    const auto terms = static_cast<int32_t>(senses.terms.size());
    std::vector<ListMatcher> matchers(static_cast<std::size_t>(std::max(1, threads)));
    std::vector<std::vector<Code>> copies(matchers.size());  // of the rows of one document's terms, which are asked for again and again
    parallel_blocks(n, 1, threads, task, [&](int64_t begin, int64_t end, int worker) {
        for (int64_t i = begin; i < end; ++i) {
            const auto own = documents.row_ids(i);
            copies[worker].resize(own.size() * terms);
            for (std::size_t at = 0; at < own.size(); ++at) table.copy_row(own[at], terms, copies[worker].data() + at * terms);
            const auto alike = [&](std::size_t at, int32_t term) { return kSimilarity[copies[worker][at * terms + term]]; };
            for (int64_t j = 0; j <= i; ++j) {
                found[i * n + j] = found[j * n + i] = matchers[worker].match(own, documents.row_ids(j), alike);
                task.check();
            }
        }
    });
    return found;
}

}  // namespace shoal
