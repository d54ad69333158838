// One way to use threads: blocks of an index range are handed out, the first exception of any worker is rethrown in the caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/task.hpp"

namespace shoal {

// Calls body(begin, end, worker) over blocks of [0, n). Results must not depend on which worker took which block.
template <class Body>
void parallel_blocks(std::int64_t n, std::int64_t block, int threads, Task& task, Body&& body) {
    const std::int64_t blocks = (n + block - 1) / block;
    const int workers = static_cast<int>(std::max<std::int64_t>(1, std::min<std::int64_t>(threads, blocks)));
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr failure;
    std::mutex guard;
    auto work = [&](int worker) {
        try {
            for (std::int64_t b; !failed.load() && (b = next.fetch_add(1)) < blocks;) {
                const std::int64_t begin = b * block, end = std::min(n, begin + block);
                body(begin, end, worker);
                task.step(end - begin);
            }
        } catch (...) {
            std::lock_guard<std::mutex> lock(guard);
            if (!failed.exchange(true)) failure = std::current_exception();
        }
    };
    std::vector<std::thread> pool;
    pool.reserve(workers);
    try {
        for (int w = 1; w < workers; ++w) pool.emplace_back(work, w);
    } catch (const std::system_error&) {  // no more threads to be had: those that run do all the work
    }
    work(0);
    for (auto& t : pool) t.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace shoal
