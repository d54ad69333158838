// Texts of queries, how far two of them lie apart, and which of many texts are near a given one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shoal {

constexpr int64_t kApart = 1 << 14;  // the largest distance of two texts, times, clicks, queries or people

// Texts as sets of words (ids that rise), or as sequences of letters.
struct Texts {
    std::span<const int64_t> indptr;
    std::span<const int32_t> parts;
    bool letters = false;
    std::vector<uint64_t> signature;  // of the words of each text: texts whose signatures share no bit share no word

    Texts(std::span<const int64_t> indptr_, std::span<const int32_t> parts_, bool letters_);
    int64_t size() const { return static_cast<int64_t>(indptr.size()) - 1; }
    std::span<const int32_t> of(int32_t text) const { return parts.subspan(indptr[text], indptr[text + 1] - indptr[text]); }
};

int64_t text_distance(const Texts& texts, int32_t a, int32_t b);

// An index from words to the different texts of some queries: most of them have no word in common with a given text.
class TextIndex {
public:
    TextIndex(const Texts& texts, std::span<const int32_t> text_of_query);

    // How much nearer than kApart a text is to those that are near it at all.
    struct Near {
        int32_t text;  // the number of a text of this index
        int32_t closeness;
    };
    // All texts that have something in common with this one; each once.
    void near(int32_t text, std::vector<Near>& out) const;
    // The queries with a text of this index.
    std::span<const int32_t> queries(int32_t text) const {
        return std::span<const int32_t>(queries_).subspan(asked_[text], asked_[text + 1] - asked_[text]);
    }

private:
    const Texts& texts_;
    std::vector<int32_t> text_;       // the different texts, rising
    std::vector<int64_t> asked_;      // where the queries of each begin
    std::vector<int32_t> queries_;
    std::vector<int32_t> words_;      // the words of these texts, rising; none where texts are compared by letters
    std::vector<int64_t> held_;       // where the texts that hold each begin
    std::vector<int32_t> holders_;
};

// Values listed by key: where the values of each key begin, and the values, in their order.
void list_by_key(std::span<const int32_t> key, int64_t keys, std::vector<int64_t>& begin, std::vector<int32_t>& values);

}  // namespace shoal
