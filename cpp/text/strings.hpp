// Strings as borrowed views, taken from Arrow's C stream interface: no copy, no pyarrow, any producer (Polars, pandas, pyarrow).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/task.hpp"

struct ArrowArrayStream;

namespace shoal {

// The strings of a one-column Arrow stream. The views live as long as this object, which owns the stream's buffers.
class Strings {
public:
    explicit Strings(ArrowArrayStream* stream);  // throws std::invalid_argument where the column is not of strings
    ~Strings();
    Strings(const Strings&) = delete;
    Strings& operator=(const Strings&) = delete;

    const std::vector<std::string_view>& views() const { return views_; }  // a null is an empty view without data()
    static bool is_null(std::string_view s) { return s.data() == nullptr; }

private:
    struct Chunks;
    Chunks* chunks_;
    std::vector<std::string_view> views_;
};

// The places of the strings that hold a character beyond ASCII.
std::vector<int64_t> beyond_ascii(const std::vector<std::string_view>& strings, const Task& task);

}  // namespace shoal
