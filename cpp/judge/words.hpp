// The judge's own reading of texts: their words as numbers, and which sequences of words are equal. Nothing here trusts a hash: what is
// called equal was compared.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/task.hpp"

namespace shoal {

// The places of the texts that may hold anything but printable ASCII characters with single blanks between words: only a closer look tells
// whether their blanks are odd.
std::vector<int64_t> doubtful_blanks(std::span<const std::string_view> texts, const Task& task);

// The words of texts, which are divided at blanks: text i has the words numbers[starts[i] .. starts[i + 1]). The different words are numbered
// in the order in which they first occur, and lie in the texts.
struct TextWords {
    std::vector<int64_t> starts;
    std::vector<int32_t> numbers;
    std::vector<std::string_view> words;
};
TextWords text_words(std::span<const std::string_view> texts, Task& task);

// Sequences of numbers: number i has numbers[starts[i] .. starts[i + 1]), without those below 0.
struct NumberSequences {
    std::span<const int64_t> starts;
    std::span<const int32_t> numbers;

    int64_t size() const { return static_cast<int64_t>(starts.size()) - 1; }
};

// The place of the equal one among the sequences `shown`, for each of `sought`; -1 for an empty sequence, and if there is none. Of equal
// ones that are shown the first counts.
std::vector<int64_t> places_of_equals(const NumberSequences& sought, const NumberSequences& shown, Task& task);

// The sum of the weights of the texts with each unit; a text with a unit twice counts twice.
std::vector<int64_t> sums_of_units(std::span<const int64_t> weights, const NumberSequences& units, int64_t n_units, Task& task);

}  // namespace shoal
