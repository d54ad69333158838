#include "topics/apart.hpp"

#include <algorithm>
#include <numeric>

#include "base/rows.hpp"

namespace shoal {

namespace {

constexpr int PASSES = 4;  // over all words; more change little

}  // namespace

OwnedRows people_of_words(const Rows& rows, std::span<const int64_t> owners, std::span<const int32_t> number, Task& task) {
    const std::vector<int64_t> order = by_owner(owners);
    OwnedRows found;
    found.indptr.assign(number.size() + 1, 0);
    std::vector<int64_t> seen(number.size());
    const auto each = [&](auto&& to) {
        std::ranges::fill(seen, -1);
        int32_t person = -1;
        for (std::size_t at = 0; at < order.size(); ++at) {
            if (at % 65536 == 0) task.check();
            if (at == 0 || owners[order[at]] != owners[order[at - 1]]) ++person;
            for (int32_t id : rows.row_ids(order[at]))
                if (const int32_t word = number[id]; seen[word] != person) {
                    seen[word] = person;
                    to(word, person);
                }
        }
    };
    each([&](int32_t word, int32_t) { ++found.indptr[word + 1]; });
    std::partial_sum(found.indptr.begin(), found.indptr.end(), found.indptr.begin());
    found.ids.resize(found.indptr.back());
    found.counts.assign(found.indptr.back(), 1);
    std::vector<int64_t> next(found.indptr.begin(), found.indptr.end() - 1);
    each([&](int32_t word, int32_t person) { found.ids[next[word]++] = person; });
    return found;
}

Apart::Apart(const Rows& people) : people_(people) {
    const int32_t highest = people.ids.empty() ? -1 : *std::ranges::max_element(people.ids);
    for (auto& side : held_) side.assign(highest + 1, 0);
}

std::vector<uint8_t> Apart::divide(const std::vector<int32_t>& words, Task& task) {
    std::vector<std::size_t> order(words.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return -holders(words[i]); });
    std::vector<uint8_t> side(words.size());
    int64_t all[2] = {0, 0}, count[2] = {0, 0};
    for (std::size_t i : order) {
        task.check();
        side[i] = side_with_fewer(words[i], all);
        add(words[i], side[i], 1);
        all[side[i]] += holders(words[i]);
        ++count[side[i]];
    }
    bool moved = true;
    for (int round = 0; round < PASSES && moved; ++round) {
        moved = false;
        for (std::size_t i : order) {
            task.check();
            if (count[side[i]] == 1 || gain(words[i], side[i]) <= 0) continue;
            add(words[i], side[i], -1);
            --count[side[i]];
            side[i] = 1 - side[i];
            add(words[i], side[i], 1);
            ++count[side[i]];
            moved = true;
        }
    }
    for (int32_t word : words)
        for (auto& held : held_)
            for (int32_t person : people_.row_ids(word)) held[person] = 0;
    return side;
}

// The side on which the people of a word have fewer words; if there is none, that with fewer holders.
uint8_t Apart::side_with_fewer(int32_t word, const int64_t (&all)[2]) const {
    int64_t more = 0;
    for (int32_t person : people_.row_ids(word)) more += (held_[0][person] > held_[1][person]) - (held_[0][person] < held_[1][person]);
    return more != 0 ? more > 0 : all[0] > all[1];
}

// How many more words people would have on the side where they have fewer, if this one changed its side.
int64_t Apart::gain(int32_t word, uint8_t from) const {
    const auto &here = held_[from], &there = held_[1 - from];
    int64_t found = 0;
    for (int32_t person : people_.row_ids(word)) found += (here[person] >= there[person] + 2) - (here[person] <= there[person]);
    return found;
}

void Apart::add(int32_t word, uint8_t side, int32_t times) {
    for (int32_t person : people_.row_ids(word)) held_[side][person] += times;
}

}  // namespace shoal
