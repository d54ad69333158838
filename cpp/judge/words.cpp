#include "judge/words.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace shoal {

namespace {

constexpr int64_t kTogether = 32;  // sequences that are looked up together, so that memory is fetched for all of them at once
constexpr int64_t kBetweenChecks = 8192;

uint64_t stirred(uint64_t state, uint64_t piece) {
    state = (state ^ piece) * 0x9fb21c651e98df25ULL;
    return state ^ (state >> 32);
}

static_assert(std::endian::native == std::endian::little, "the first byte of a text is the lowest of eight");
constexpr uint64_t kEach = 0x0101010101010101ULL;
constexpr uint64_t kHigh = kEach << 7;

// Marks, at its highest bit, each byte that is zero; below such a byte nothing is missed, above it a byte of one may be marked as well.
uint64_t zero_bytes(uint64_t bytes) { return (bytes - kEach) & ~bytes & kHigh; }

// Whether a text surely holds ASCII without control characters and single blanks between words alone. Eight bytes are looked at at once;
// the rest of the last ones are letters.
bool plainly_spaced(std::string_view text) {
    if (text.empty()) return true;
    if (text.front() == ' ' || text.back() == ' ') return false;
    uint64_t blank_before = 0;
    for (std::size_t at = 0; at < text.size(); at += 8) {
        uint64_t bytes = kEach * 'a';
        std::memcpy(&bytes, text.data() + at, std::min<std::size_t>(8, text.size() - at));
        const uint64_t control = zero_bytes(bytes & (kEach * 0xe0)), blanks = zero_bytes(bytes ^ (kEach * ' '));
        if ((bytes & kHigh) | control | (blanks & ((blanks << 8) | blank_before))) return false;
        blank_before = blanks >> 56;
    }
    return true;
}

// Numbers by hash: a place holds a number and a part of the hash of what it stands for; the caller compares.
class Places {
public:
    explicit Places(int64_t most) : slots_(std::bit_ceil(static_cast<uint64_t>(most + most / 2 + 16)), kEmpty) {}

    void fetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & last()]); }

    // The first number under this hash, or -1: a guess at what `find` gives, for fetching.
    int32_t guess(uint64_t hash) const { return slots_[hash & last()].number; }

    // The number of what is equal; otherwise puts `fresh` there, unless it is negative, and returns -1.
    template <class Equal>
    int32_t find(uint64_t hash, int32_t fresh, Equal&& equal) {
        uint64_t at = hash & last();
        for (; slots_[at].number >= 0; at = (at + 1) & last())
            if (slots_[at].mark == mark_of(hash) && equal(slots_[at].number)) return slots_[at].number;
        if (fresh >= 0) slots_[at] = {mark_of(hash), fresh};
        return -1;
    }

private:
    struct Slot {
        uint32_t mark;
        int32_t number;
    };
    static constexpr Slot kEmpty{0, -1};
    static uint32_t mark_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }
    uint64_t last() const { return slots_.size() - 1; }
    std::vector<Slot> slots_;
};

void insist_on_small(int64_t n) {
    if (n > std::numeric_limits<int32_t>::max()) throw std::length_error("more than 2,147,483,647 words or texts");
}

// A word with its first 16 bytes as numbers, which most words fit into, and its hash.
struct Beginning {
    explicit Beginning(std::string_view word_) : word(word_) {
        std::memcpy(head.data(), word.data(), std::min(word.size(), sizeof head));
        hash = stirred(stirred(stirred(word.size(), head[0]), head[1]), 0);
        for (std::size_t at = sizeof head; at < word.size(); at += 8) {
            uint64_t piece = 0;
            std::memcpy(&piece, word.data() + at, std::min<std::size_t>(8, word.size() - at));
            hash = stirred(hash, piece);
        }
    }

    std::string_view word;
    std::array<uint64_t, 2> head{};
    uint64_t hash;
};

// Numbers different words as they come. A place holds the beginning of its word, so that short words are compared without another look.
class WordNumbers {
public:
    explicit WordNumbers(std::vector<std::string_view>& words) : words_(words), slots_(4096) {}

    void fetch(const Beginning& sought) const { __builtin_prefetch(&slots_[sought.hash & last()]); }

    int32_t number(const Beginning& sought) {
        Slot& slot = find(sought);
        if (slot.number >= 0) return slot.number;
        const auto fresh = static_cast<int32_t>(words_.size());
        insist_on_small(static_cast<int64_t>(sought.word.size()));
        slot = {sought.head, static_cast<uint32_t>(sought.word.size()), fresh};
        words_.push_back(sought.word);
        insist_on_small(static_cast<int64_t>(words_.size()));
        if (2 * words_.size() > slots_.size()) grow();
        return fresh;
    }

private:
    struct Slot {
        std::array<uint64_t, 2> head{};
        uint32_t size = 0;
        int32_t number = -1;
    };
    uint64_t last() const { return slots_.size() - 1; }

    Slot& find(const Beginning& sought) {
        uint64_t at = sought.hash & last();
        while (slots_[at].number >= 0 && !holds(slots_[at], sought)) at = (at + 1) & last();
        return slots_[at];
    }

    bool holds(const Slot& slot, const Beginning& sought) const {
        if (slot.head != sought.head || slot.size != sought.word.size()) return false;
        return sought.word.size() <= sizeof slot.head || words_[slot.number] == sought.word;
    }

    void grow() {
        slots_.assign(4 * slots_.size(), Slot{});
        for (std::size_t number = 0; number < words_.size(); ++number) {
            const Beginning word(words_[number]);
            find(word) = {word.head, static_cast<uint32_t>(word.word.size()), static_cast<int32_t>(number)};
        }
    }

    std::vector<std::string_view>& words_;
    std::vector<Slot> slots_;
};

// A sequence without its numbers below 0.
class Reader {
public:
    explicit Reader(const NumberSequences& sequences) : all_(sequences) {}

    void fetch(int64_t i) const { __builtin_prefetch(all_.numbers.data() + all_.starts[i]); }

    uint64_t hash(int64_t i) const {
        uint64_t state = 0;
        for (int64_t at = all_.starts[i]; at < all_.starts[i + 1]; ++at)
            if (all_.numbers[at] >= 0) state = stirred(state, static_cast<uint64_t>(all_.numbers[at]) + 1);
        return stirred(state, 0);
    }

    bool empty(int64_t i) const {
        for (int64_t at = all_.starts[i]; at < all_.starts[i + 1]; ++at)
            if (all_.numbers[at] >= 0) return false;
        return true;
    }

    bool equals(int64_t i, const Reader& other, int64_t j) const {
        int64_t a = all_.starts[i], b = other.all_.starts[j];
        const int64_t a_end = all_.starts[i + 1], b_end = other.all_.starts[j + 1];
        while (true) {
            while (a < a_end && all_.numbers[a] < 0) ++a;
            while (b < b_end && other.all_.numbers[b] < 0) ++b;
            if (a == a_end || b == b_end) return a == a_end && b == b_end;
            if (all_.numbers[a++] != other.all_.numbers[b++]) return false;
        }
    }

private:
    const NumberSequences& all_;
};

}  // namespace

std::vector<int64_t> doubtful_blanks(std::span<const std::string_view> texts, const Task& task) {
    std::vector<int64_t> found;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (i % kBetweenChecks == 0) task.check();
        if (!plainly_spaced(texts[i])) found.push_back(static_cast<int64_t>(i));
    }
    return found;
}

TextWords text_words(std::span<const std::string_view> texts, Task& task) {
    TextWords out;
    WordNumbers known(out.words);
    std::vector<Beginning> waiting;
    out.starts.reserve(texts.size() + 1);
    out.starts.push_back(0);
    task.begin(static_cast<int64_t>(texts.size()));
    const auto number_all = [&] {
        for (const Beginning& word : waiting) out.numbers.push_back(known.number(word));
        waiting.clear();
    };
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (i % kBetweenChecks == 0) task.check();
        for (std::string_view rest = texts[i]; !rest.empty();) {
            const std::size_t end = std::min(rest.find(' '), rest.size());
            if (end > 0) {
                waiting.emplace_back(rest.substr(0, end));
                known.fetch(waiting.back());
            }
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        out.starts.push_back(static_cast<int64_t>(out.numbers.size() + waiting.size()));
        if (static_cast<int64_t>(waiting.size()) >= kTogether) number_all();
    }
    number_all();
    return out;
}

std::vector<int64_t> places_of_equals(const NumberSequences& sought, const NumberSequences& shown, Task& task) {
    insist_on_small(shown.size());
    const Reader left(sought), right(shown);
    Places places(shown.size());
    std::vector<int64_t> found(sought.size(), -1);
    std::array<uint64_t, kTogether> hash;
    task.begin(shown.size() + sought.size());
    for (int64_t begin = 0; begin < shown.size(); begin += kTogether) {
        if (begin % kBetweenChecks == 0) task.check();
        const int64_t end = std::min(begin + kTogether, shown.size());
        for (int64_t i = begin; i < end; ++i) places.fetch(hash[i - begin] = right.hash(i));
        for (int64_t i = begin; i < end; ++i)
            if (!right.empty(i))
                places.find(hash[i - begin], static_cast<int32_t>(i), [&](int32_t other) { return right.equals(i, right, other); });
    }
    for (int64_t begin = 0; begin < sought.size(); begin += kTogether) {
        if (begin % kBetweenChecks == 0) task.check();
        const int64_t end = std::min(begin + kTogether, sought.size());
        for (int64_t i = begin; i < end; ++i) places.fetch(hash[i - begin] = left.hash(i));
        for (int64_t i = begin; i < end; ++i)
            if (const int32_t guess = places.guess(hash[i - begin]); guess >= 0) __builtin_prefetch(&shown.starts[guess]);
        for (int64_t i = begin; i < end; ++i)
            if (const int32_t guess = places.guess(hash[i - begin]); guess >= 0) right.fetch(guess);
        for (int64_t i = begin; i < end; ++i)
            if (!left.empty(i))
                found[i] = places.find(hash[i - begin], -1, [&](int32_t other) { return left.equals(i, right, other); });
    }
    return found;
}

std::vector<int64_t> sums_of_units(std::span<const int64_t> weights, const NumberSequences& units, int64_t n_units, Task& task) {
    std::vector<int64_t> sums(n_units, 0);
    task.begin(units.size());
    for (int64_t i = 0; i < units.size(); ++i) {
        if (i % kBetweenChecks == 0) task.check();
        for (int64_t at = units.starts[i]; at < units.starts[i + 1]; ++at) sums[units.numbers[at]] += weights[i];
    }
    return sums;
}

}  // namespace shoal
