#include "text/strings.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

#include "text/arrow.hpp"
#include "text/utf8.hpp"

namespace shoal {

namespace {

// Some producers leave buffers of empty strings unset; a view must still differ from a null.
constexpr char kEmpty[] = "";

std::string_view view(const char* data, int64_t begin, int64_t size) {
    return size == 0 ? std::string_view(kEmpty, 0) : std::string_view(data + begin, static_cast<std::size_t>(size));
}

bool valid_at(const ArrowArray& a, int64_t i) {
    const auto* bits = static_cast<const uint8_t*>(a.buffers[0]);
    const int64_t at = a.offset + i;
    return a.null_count == 0 || bits == nullptr || ((bits[at / 8] >> (at % 8)) & 1) != 0;
}

template <class Offset>
void read_offsets(const ArrowArray& a, std::vector<std::string_view>& out) {
    const auto* offsets = static_cast<const Offset*>(a.buffers[1]) + a.offset;
    const auto* data = static_cast<const char*>(a.buffers[2]);
    for (int64_t i = 0; i < a.length; ++i)
        out.push_back(valid_at(a, i) ? view(data, offsets[i], offsets[i + 1] - offsets[i]) : std::string_view());
}

// A 16-byte view holds up to 12 bytes in place; longer strings name a buffer and an offset in it.
void read_views(const ArrowArray& a, std::vector<std::string_view>& out) {
    const auto* slots = static_cast<const char*>(a.buffers[1]) + 16 * a.offset;
    for (int64_t i = 0; i < a.length; ++i, slots += 16) {
        if (!valid_at(a, i)) {
            out.emplace_back();
            continue;
        }
        int32_t size, buffer, offset;
        std::memcpy(&size, slots, 4);
        if (size <= 12) {
            out.push_back(view(slots + 4, 0, size));
            continue;
        }
        std::memcpy(&buffer, slots + 8, 4);
        std::memcpy(&offset, slots + 12, 4);
        out.push_back(view(static_cast<const char*>(a.buffers[2 + buffer]), offset, size));
    }
}

}  // namespace

struct Strings::Chunks {
    std::vector<ArrowArray> arrays;
    ~Chunks() {
        for (ArrowArray& a : arrays)
            if (a.release) a.release(&a);
    }
};

Strings::Strings(ArrowArrayStream* stream) : chunks_(new Chunks) {
    if (stream->release == nullptr) {
        delete chunks_;
        throw std::invalid_argument("the Arrow stream was read before");
    }
    ArrowSchema schema{};
    if (stream->get_schema(stream, &schema) != 0) {
        delete chunks_;
        throw std::invalid_argument("the Arrow stream has no schema");
    }
    const std::string format = schema.format;
    if (schema.release) schema.release(&schema);
    if (format != "u" && format != "U" && format != "vu") {
        delete chunks_;
        throw std::invalid_argument("expected a column of strings, got Arrow format '" + format + "'");
    }
    for (;;) {
        ArrowArray array{};
        if (stream->get_next(stream, &array) != 0) {
            delete chunks_;
            throw std::invalid_argument("the Arrow stream broke off");
        }
        if (array.release == nullptr) break;
        chunks_->arrays.push_back(array);
    }
    std::size_t total = 0;
    for (const ArrowArray& array : chunks_->arrays) total += static_cast<std::size_t>(array.length);
    views_.reserve(total);
    for (const ArrowArray& array : chunks_->arrays) {
        if (format == "u")
            read_offsets<int32_t>(array, views_);
        else if (format == "U")
            read_offsets<int64_t>(array, views_);
        else
            read_views(array, views_);
    }
}

Strings::~Strings() { delete chunks_; }

std::vector<int64_t> beyond_ascii(const std::vector<std::string_view>& strings, const Task& task) {
    std::vector<int64_t> found;
    for (std::size_t i = 0; i < strings.size(); ++i) {
        if (i % 8192 == 0) task.check();
        if (!is_ascii(strings[i])) found.push_back(static_cast<int64_t>(i));
    }
    return found;
}

}  // namespace shoal
