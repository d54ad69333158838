// Whether a step that is tried on one group after another is still worth its time, by what the last tries gained.
#pragma once

#include <cstdint>

namespace shoal {

// What a step was tried on and what came of it.
struct Try {
    int64_t lost = 0;    // by the groups before
    int64_t gained = 0;  // zero where they were left as they are
};

class Worth {
public:
    // So many thousandths of what groups lose must be gained; with 0 every step is worth while.
    explicit Worth(int64_t thousandths) : thousandths_(thousandths) {}

    void add(const Try& it) {
        lost_ += it.lost, gained_ += it.gained;
        if (++tries_ % kTogether != 0) return;
        over_ = gained_ < lost_ / 1000 * thousandths_;
        lost_ = gained_ = 0;
    }
    bool over() const { return over_; }

private:
    static constexpr int64_t kTogether = 32;  // tries that are looked at together, as most gain nothing

    int64_t thousandths_;
    int64_t lost_ = 0, gained_ = 0, tries_ = 0;
    bool over_ = false;
};

}  // namespace shoal
