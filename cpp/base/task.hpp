// A running kernel's two-way line to its caller: progress out, cancel in. Plain atomics, so that a kernel never calls Python.
#pragma once

#include <atomic>
#include <cstdint>
#include <stdexcept>

namespace shoal {

struct Cancelled : std::runtime_error {
    Cancelled() : std::runtime_error("cancelled") {}
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
    void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
    bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
    std::int64_t done() const { return done_.load(std::memory_order_relaxed); }
    std::int64_t total() const { return total_.load(std::memory_order_relaxed); }

private:
    std::atomic<bool> cancelled_{false};
    std::atomic<std::int64_t> done_{0};
    std::atomic<std::int64_t> total_{0};
};

}  // namespace shoal
