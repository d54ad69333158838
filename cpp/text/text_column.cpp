#include "text/text_column.hpp"

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
