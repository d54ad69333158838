// An interner gives each distinct string a number, in order of first appearance, over as many batches as there are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/csr.hpp"
#include "base/task.hpp"
#include "text/text_column.hpp"

namespace shoal {

class Interner {
public:
    Interner();
    int32_t code(std::string_view s);
    int64_t size() const { return static_cast<int64_t>(ends_.size()); }
    std::string_view operator[](int64_t i) const {
        const int64_t begin = i == 0 ? 0 : ends_[i - 1];
        return std::string_view(bytes_).substr(begin, ends_[i] - begin);
    }
    const std::string& bytes() const { return bytes_; }
    const std::vector<int64_t>& ends() const { return ends_; }

    // The code of every string; -1 for a null.
    std::vector<int32_t> encode(const std::vector<std::string_view>& strings, Task& task);

    // The code of the string at each of these places of a column.
    std::vector<int32_t> encode(const TextColumn& column, std::span<const int64_t> places, Task& task);

    // Splits every string into words (runs of letters, digits and bytes beyond ASCII) of at least `shortest` bytes and interns them,
    // with `lower` in small letters as far as they are ASCII:
    // the words of string i are ids[indptr[i] .. indptr[i+1]), in their order. Each thread numbers the words of its own range; merging the
    // ranges in their order gives the numbers that one thread would have given.
    struct Words {
        std::vector<int64_t> indptr;
        std::vector<int32_t> ids;
    };
    Words words(const std::vector<std::string_view>& strings, int64_t shortest, bool lower, int threads, Task& task);

    // Splits every string at a byte and interns the pieces that are not empty.
    Words pieces(const std::vector<std::string_view>& strings, char separator, Task& task);

private:
    // Words on their way to a number: looked at in batches, so that the slots of a batch are fetched while others are compared.
    struct Waiting {
        std::string_view word;
        uint64_t hash;
    };
    void split(std::string_view s, int64_t shortest, bool lower, std::vector<Waiting>& waiting, std::vector<int32_t>& ids);
    void number(std::vector<Waiting>& waiting, std::vector<int32_t>& ids);
    template <class At>
    std::vector<int32_t> encode_all(int64_t n, At&& at, Task& task);
    int32_t code(std::string_view s, uint64_t hash);
    void grow();
    struct Slot {  // small, and knows where its string lies: a look-up touches one slot and the string itself
        uint64_t mark : 24;  // of the hash
        uint64_t begin : 40;
        uint32_t size;
        int32_t code;
    };
    static const Slot kEmptySlot;
    std::vector<Slot> slots_;
    std::string bytes_;
    std::vector<int64_t> ends_;
};

}  // namespace shoal
