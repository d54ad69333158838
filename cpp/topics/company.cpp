#include "topics/company.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/logarithm.hpp"
#include "base/noise.hpp"
#include "base/parallel.hpp"
#include "base/rows.hpp"

namespace shoal {
namespace {

constexpr int64_t WORDS_AT_ONCE = 256, CHECKED = 1 << 16;

struct Tie {
    int64_t evidence;  // against chance: the tie, as often as it was seen
    int32_t feature, units;
};

// Contexts by the features in them, and by the words whose company is counted there.
struct Index {
    std::vector<int64_t> feature_ptr, word_ptr;
    std::vector<int32_t> features, contexts;
    std::vector<int64_t> frequency;  // of each feature: how many other words it occurs with
};

bool counted(const CompanyProblem& in, int64_t context) {
    const auto words = in.contexts.row_ids(context).size();
    return words > 1 && static_cast<int64_t>(words) <= in.bounds.longest;
}

// A number per context that looks random: from its own words and from all words of its owner.
std::vector<uint64_t> keys_of(const CompanyProblem& in, Task& task) {
    const int64_t n = in.contexts.size();
    std::vector<uint64_t> keys(n, 0);
    for (int64_t i = 0; i < n; ++i) {
        if (i % CHECKED == 0) task.check();
        for (int32_t word : in.contexts.row_ids(i)) keys[i] += mixed(static_cast<uint64_t>(in.fingerprint[word]) + 1);
    }
    const std::vector<int64_t> order = by_owner(in.owners);
    for (int64_t begin = 0, end = 0; begin < n; begin = end) {
        uint64_t whole = 0;
        for (end = begin; end < n && in.owners[order[end]] == in.owners[order[begin]]; ++end) whole += mixed(keys[order[end]]);
        for (int64_t i = begin; i < end; ++i) keys[order[i]] = mixed(whole + keys[order[i]]);
    }
    return keys;
}

// Up to which key the contexts of each word are counted: all of them, or about `enough`.
std::vector<uint64_t> limits_of(const CompanyProblem& in, Task& task) {
    std::vector<int64_t> often(in.feature.size(), 0);
    for (int64_t i = 0; i < in.contexts.size(); ++i) {
        if (i % CHECKED == 0) task.check();
        if (counted(in, i))
            for (int32_t word : in.contexts.row_ids(i)) ++often[word];
    }
    std::vector<uint64_t> limits(often.size(), ~uint64_t{0});
    const int64_t enough = in.bounds.enough;
    for (std::size_t word = 0; word < often.size(); ++word)
        if (often[word] > enough) limits[word] = ~uint64_t{0} / static_cast<uint64_t>(often[word]) * static_cast<uint64_t>(enough);
    return limits;
}

// Calls to(word, context) for all pairs that are counted, contexts in their order.
template <class To>
void each_pair(const CompanyProblem& in, const std::vector<uint64_t>& keys, const std::vector<uint64_t>& limits, Task& task, To&& to) {
    for (int64_t i = 0; i < in.contexts.size(); ++i) {
        if (i % CHECKED == 0) task.check();
        if (!counted(in, i)) continue;
        for (int32_t word : in.contexts.row_ids(i))
            if (in.wanted[word] != 0 && keys[i] <= limits[word]) to(word, static_cast<int32_t>(i));
    }
}

Index index_of(const CompanyProblem& in, Task& task) {
    Index found;
    found.frequency.assign(in.bounds.features, 0);
    found.feature_ptr.push_back(0);
    for (int64_t i = 0; i < in.contexts.size(); ++i) {
        if (i % CHECKED == 0) task.check();
        const auto words = in.contexts.row_ids(i);
        if (counted(in, i))
            for (int32_t word : words)
                if (const int32_t f = in.feature[word]; f >= 0) {
                    found.features.push_back(f);
                    found.frequency[f] += static_cast<int64_t>(words.size()) - 1;
                }
        found.feature_ptr.push_back(static_cast<int64_t>(found.features.size()));
    }
    const std::vector<uint64_t> keys = keys_of(in, task), limits = limits_of(in, task);
    found.word_ptr.assign(in.feature.size() + 1, 0);
    each_pair(in, keys, limits, task, [&](int32_t word, int32_t) { ++found.word_ptr[word + 1]; });
    std::partial_sum(found.word_ptr.begin(), found.word_ptr.end(), found.word_ptr.begin());
    found.contexts.resize(found.word_ptr.back());
    std::vector<int64_t> next(found.word_ptr.begin(), found.word_ptr.end() - 1);
    each_pair(in, keys, limits, task, [&](int32_t word, int32_t context) { found.contexts[next[word]++] = context; });
    return found;
}

class Counter {
public:
    Counter(const CompanyProblem& in, const Index& index) : in_(in), index_(index), log_frequency_(in.bounds.features) {
        int64_t total = 0;
        for (int64_t f = 0; f < in.bounds.features; ++f) {
            total += index.frequency[f];
            log_frequency_[f] = in.bounds.smoothing * logarithm(static_cast<double>(std::max<int64_t>(index.frequency[f], 1)));
        }
        if (total == 0) return;
        log_total_ = logarithm(static_cast<double>(total));
        smooth_ = (1 - in.bounds.smoothing) * logarithm(static_cast<double>(total) / static_cast<double>(in.bounds.features));
    }

    // The ties of a word; `often` has a zero for each feature, before and after.
    std::vector<Tie> ties_of(int64_t word, std::vector<int32_t>& often) const {
        std::vector<int32_t> met;
        int64_t sum = 0;
        for (int64_t at = index_.word_ptr[word]; at < index_.word_ptr[word + 1]; ++at) {
            const int64_t context = index_.contexts[at];
            for (int64_t j = index_.feature_ptr[context]; j < index_.feature_ptr[context + 1]; ++j)
                if (const int32_t f = index_.features[j]; f != in_.feature[word]) {
                    if (often[f]++ == 0) met.push_back(f);
                    ++sum;
                }
        }
        const double log_sum = logarithm(static_cast<double>(std::max<int64_t>(sum, 1)));
        std::vector<Tie> ties;
        for (int32_t f : met) {
            const double beyond = logarithm(often[f]) + log_total_ - (log_sum + log_frequency_[f]) - smooth_;
            const double units = std::floor(static_cast<double>(in_.bounds.units) * beyond / logarithm(2.0));
            if (units > 0) ties.push_back({static_cast<int64_t>(units) * often[f], f, static_cast<int32_t>(units)});
            often[f] = 0;
        }
        return strongest(std::move(ties));
    }

private:
    // Those with the most evidence, in the order of features.
    std::vector<Tie> strongest(std::vector<Tie> ties) const {
        if (static_cast<int64_t>(ties.size()) > in_.bounds.strongest) {
            std::nth_element(ties.begin(), ties.begin() + in_.bounds.strongest, ties.end(), [](const Tie& a, const Tie& b) {
                return a.evidence != b.evidence ? a.evidence > b.evidence : a.feature < b.feature;
            });
            ties.resize(in_.bounds.strongest);
        }
        std::ranges::sort(ties, {}, &Tie::feature);
        return ties;
    }

    const CompanyProblem& in_;
    const Index& index_;
    std::vector<double> log_frequency_;
    double log_total_ = 0, smooth_ = 0;
};

}  // namespace

OwnedRows company(const CompanyProblem& in, int threads, Task& task) {
    const auto words = static_cast<int64_t>(in.feature.size());
    task.begin(words);
    const Index index = index_of(in, task);
    const Counter counter(in, index);
    std::vector<std::vector<Tie>> parts((words + WORDS_AT_ONCE - 1) / WORDS_AT_ONCE);
    std::vector<std::vector<int32_t>> often(std::max(1, threads), std::vector<int32_t>(in.bounds.features, 0));
    OwnedRows found;
    found.indptr.assign(words + 1, 0);
    parallel_blocks(words, WORDS_AT_ONCE, threads, task, [&](int64_t begin, int64_t end, int worker) {
        auto& part = parts[begin / WORDS_AT_ONCE];
        for (int64_t word = begin; word < end; ++word) {
            const std::vector<Tie> ties = counter.ties_of(word, often[worker]);
            part.insert(part.end(), ties.begin(), ties.end());
            found.indptr[word + 1] = static_cast<int64_t>(ties.size());
        }
    });
    std::partial_sum(found.indptr.begin(), found.indptr.end(), found.indptr.begin());
    found.ids.reserve(found.indptr.back());
    found.counts.reserve(found.indptr.back());
    for (auto& part : parts) {
        for (const Tie& tie : part) {
            found.ids.push_back(tie.feature);
            found.counts.push_back(tie.units);
        }
        std::vector<Tie>().swap(part);
    }
    return found;
}

}  // namespace shoal
