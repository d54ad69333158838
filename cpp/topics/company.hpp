// The company that words keep: how much more often each word occurs together with each feature than by chance.
//
// The work is bounded for each word: of a word in very many contexts about `enough` are counted, chosen by a hash of the words of the
// context and of all words of its owner, so that neither the order of contexts nor the names of owners matter.
#pragma once

#include <cstdint>
#include <span>

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

struct CompanyBounds {
    int64_t features;
    int64_t longest;    // words of a context that is counted: in a longer one everything occurs with everything
    int64_t enough;     // contexts of a word that are counted
    int64_t strongest;  // ties of a word that are kept: those that chance explains least
    double smoothing;   // power of the feature's frequency
    int64_t units;      // of a tie, for each doubling over chance
};

struct CompanyProblem {
    Rows contexts;
    std::span<const int64_t> owners;       // of each context
    std::span<const int64_t> fingerprint;  // of each word, from its name alone
    std::span<const int32_t> feature;      // the number of each word among the features, -1 for a word that is none
    std::span<const uint8_t> wanted;       // 1 for words whose company is counted
    CompanyBounds bounds;
};

// Of each word its ties to features, in whole units; a word has none with itself, and none below chance.
OwnedRows company(const CompanyProblem& problem, int threads, Task& task);

}  // namespace shoal
