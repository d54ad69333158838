// A column of strings, built one by one in Arrow's string-view layout, so that it can be handed to any Arrow consumer without
// a copy.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

struct ArrowArray;
struct ArrowSchema;

namespace shoal {

class TextColumn {
public:
    void append(std::string_view s);
    void reserve(std::size_t n) { views_.reserve(n); }
    void clear() {
        views_.clear();
        long_bytes_.clear();
    }
    int64_t size() const { return static_cast<int64_t>(views_.size()); }
    std::string_view operator[](int64_t i) const {
        const View& v = views_[i];
        return {v.size <= kInline ? v.bytes : long_bytes_.data() + v.offset(), static_cast<std::size_t>(v.size)};
    }

    // These strings in columns of so many bytes each, or of a single longer string.
    static std::vector<TextColumn> several(std::span<const std::string_view> strings, int64_t most_bytes);

    // Where a string may be this name, in any case, maybe with quotes, blanks or a byte order mark around it: it is longer by 0, 2, 3 or 5
    // bytes, and begins like the name or with one of those. Few other strings do.
    std::vector<int64_t> places_like(std::string_view name) const;

    // The strings at these places, compactly: nothing of the others stays in memory.
    TextColumn take(std::span<const int64_t> places) const;

    // Fills the two structs of Arrow's C data interface; the column's memory moves into them.
    void hand_over(ArrowSchema* schema, ArrowArray* array) &&;

private:
    static constexpr int32_t kInline = 12;
    // Up to 12 bytes lie in the view itself; of longer strings it holds the first 4 bytes, the buffer (always 0 here) and the
    // offset in it.
    struct View {
        int32_t size;
        char bytes[12];
        int32_t offset() const {
            int32_t at;
            std::memcpy(&at, bytes + 8, 4);
            return at;
        }
    };
    std::vector<View> views_;
    std::string long_bytes_;
};

}  // namespace shoal
