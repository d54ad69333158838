// When to stop searching for something better.
#pragma once

#include <chrono>

namespace shoal {

class Deadline {
public:
    // So many seconds from now; below zero: never.
    explicit Deadline(double seconds) : seconds_(seconds), started_(Clock::now()) {}

    bool passed() const { return seconds_ >= 0 && std::chrono::duration<double>(Clock::now() - started_).count() > seconds_; }

private:
    using Clock = std::chrono::steady_clock;
    double seconds_;
    Clock::time_point started_;
};

}  // namespace shoal
