#include "text/text_column.hpp"

#include <array>
#include <limits>
#include <memory>

#include "text/arrow.hpp"

namespace shoal {

void TextColumn::append(std::string_view s) {
    View v{static_cast<int32_t>(s.size()), {}};
    if (s.size() <= kInline) {
        if (!s.empty()) std::memcpy(v.bytes, s.data(), s.size());
    } else {
        if (long_bytes_.size() + s.size() > static_cast<std::size_t>(std::numeric_limits<int32_t>::max()))
            throw std::length_error("more than 2 GB of text in one column of one chunk");
        const auto at = static_cast<int32_t>(long_bytes_.size());
        std::memcpy(v.bytes, s.data(), 4);
        std::memcpy(v.bytes + 8, &at, 4);
        long_bytes_.append(s);
    }
    views_.push_back(v);
}

std::vector<TextColumn> TextColumn::several(std::span<const std::string_view> strings, int64_t most_bytes) {
    std::vector<TextColumn> columns;
    int64_t bytes = 0;
    for (std::string_view s : strings) {
        bytes += static_cast<int64_t>(s.size());
        if (columns.empty() || bytes > most_bytes) {
            columns.emplace_back();
            bytes = static_cast<int64_t>(s.size());
        }
        columns.back().append(s);
    }
    return columns;
}

std::vector<int64_t> TextColumn::places_like(std::string_view name) const {
    if (name.empty()) return {};
    std::array<bool, 256> begins{};
    for (int byte = 0x80; byte < 0x100; ++byte) begins[byte] = true;  // a byte order mark, or a letter in another case
    for (const char c : {'"', ' ', '\t'}) begins[static_cast<unsigned char>(c)] = true;
    const auto first = static_cast<unsigned char>(name.front());
    const bool letter = (first | 0x20) >= 'a' && (first | 0x20) <= 'z';
    begins[first] = begins[letter ? first ^ 0x20 : first] = true;
    if (first >= 0x80) begins.fill(true);
    std::vector<int64_t> places;
    for (int64_t i = 0; i < size(); ++i) {
        const int64_t longer = views_[i].size - static_cast<int64_t>(name.size());
        const bool near = longer == 0 || longer == 2 || longer == 3 || longer == 5;
        if (near && begins[static_cast<unsigned char>(views_[i].bytes[0])]) places.push_back(i);
    }
    return places;
}

TextColumn TextColumn::take(std::span<const int64_t> places) const {
    std::size_t bytes = 0;
    for (int64_t i : places) bytes += views_[i].size > kInline ? views_[i].size : 0;
    TextColumn out;
    out.views_.reserve(places.size());
    out.long_bytes_.reserve(bytes);
    for (int64_t i : places) out.append((*this)[i]);
    return out;
}

namespace {

// What an exported array keeps alive: the column, its buffer pointers and the sizes of its data buffers.
struct Exported {
    TextColumn column;
    const void* buffers[4];
    int64_t data_sizes[1];
};

}  // namespace

void TextColumn::hand_over(ArrowSchema* schema, ArrowArray* array) && {
    *schema = ArrowSchema{"vu", "", nullptr, 0, 0, nullptr, nullptr, [](ArrowSchema* s) { s->release = nullptr; }, nullptr};
    auto owned = std::make_unique<Exported>();
    owned->column = std::move(*this);
    clear();
    const TextColumn& column = owned->column;
    owned->data_sizes[0] = static_cast<int64_t>(column.long_bytes_.size());
    owned->buffers[0] = nullptr;
    owned->buffers[1] = column.views_.data();
    owned->buffers[2] = column.long_bytes_.data();
    owned->buffers[3] = owned->data_sizes;
    const auto release = [](ArrowArray* a) {
        delete static_cast<Exported*>(a->private_data);
        a->release = nullptr;
    };
    const int64_t length = column.size();
    Exported* kept = owned.release();
    *array = ArrowArray{length, 0, 0, 4, 0, kept->buffers, nullptr, nullptr, release, kept};
}

}  // namespace shoal
