// A running kernel's two-way line to its caller: progress out, cancel in. Plain atomics, so that a kernel never calls Python.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace shoal {

struct Cancelled : std::runtime_error {
    Cancelled() : std::runtime_error("cancelled") {}
};

// A kernel needs more work, or more memory, than its caller allows.
struct OutOfPatience : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Task {
public:
    void begin(std::int64_t total) {
        done_.store(0, std::memory_order_relaxed);
        total_.store(total, std::memory_order_relaxed);
    }
    // Called every few hundred steps by the kernels: adds progress and leaves the kernel when the caller gave up.
    void step(std::int64_t n = 1) {
        done_.fetch_add(n, std::memory_order_relaxed);
        check();
    }
    void check() const {
        if (cancelled_.load(std::memory_order_relaxed)) throw Cancelled();
    }
    // Limits the work of the kernels that use this task, in steps; without a call there is no limit.
    void allow(std::int64_t steps) { allowed_.store(steps, std::memory_order_relaxed); }
    // Counts work. The sum over all threads decides, so whether a kernel exceeds its limit does not depend on their number or speed.
    void spend(std::int64_t steps) {
        if (spent_.fetch_add(steps, std::memory_order_relaxed) + steps > allowed_.load(std::memory_order_relaxed))
            throw OutOfPatience("steps");
        check();
    }
    std::int64_t spent() const { return spent_.load(std::memory_order_relaxed); }
    void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
    bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
    std::int64_t done() const { return done_.load(std::memory_order_relaxed); }
    std::int64_t total() const { return total_.load(std::memory_order_relaxed); }

private:
    std::atomic<bool> cancelled_{false};
    std::atomic<std::int64_t> done_{0};
    std::atomic<std::int64_t> total_{0};
    std::atomic<std::int64_t> allowed_{std::numeric_limits<std::int64_t>::max()}, spent_{0};
};

}  // namespace shoal
