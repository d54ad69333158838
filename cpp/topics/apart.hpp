// Words that the same people have, put apart: two halves of a topic such that as many people as possible have words in both.
//
// People who share a topic then mostly share both halves. Only counts of people decide, and of equal words the first goes first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.hpp"
#include "base/task.hpp"

namespace shoal {

// The people who have each of so many words, rising, as numbers from 0. `number` is that of each id of the rows among the words.
OwnedRows people_of_words(const Rows& rows, std::span<const int64_t> owners, std::span<const int32_t> number, Task& task);

class Apart {
public:
    explicit Apart(const Rows& people);

    // The side of each of these words, two or more; both sides have some.
    std::vector<uint8_t> divide(const std::vector<int32_t>& words, Task& task);

private:
    int64_t holders(int32_t word) const { return static_cast<int64_t>(people_.row_ids(word).size()); }
    uint8_t side_with_fewer(int32_t word, const int64_t (&all)[2]) const;
    int64_t gain(int32_t word, uint8_t from) const;
    void add(int32_t word, uint8_t side, int32_t times);

    const Rows& people_;
    std::vector<int32_t> held_[2];  // words of each person on either side: zeros, between uses
};

}  // namespace shoal
