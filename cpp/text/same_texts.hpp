// Which texts are the same: texts that are made of numbered words, and texts that are among others.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/task.hpp"
#include "text/text_column.hpp"

namespace shoal {

// Texts made of words with single blanks between them, each different one once, in the order in which they first occur; and the number of
// each text. They are in columns of about `most_bytes`.
struct JoinedTexts {
    std::vector<int32_t> numbers;
    std::vector<TextColumn> columns;
};

// Text i has the words ids[indptr[i] .. indptr[i + 1]), without those below 0. Different words have different names without blanks, or each
// text has one word.
JoinedTexts joined_texts(std::span<const std::string_view> words, std::span<const int64_t> indptr, std::span<const int32_t> ids,
                         int64_t most_bytes, Task& task);

// 1 for each of these texts that is among the others, and 0 for the rest.
std::vector<uint8_t> texts_among(std::span<const std::string_view> texts, std::span<const std::string_view> others, Task& task);

}  // namespace shoal
