// The work of one thread of a judge's kernel, in steps of about a nanosecond. It is counted, not timed: the same data give the same
// number on every machine and with any number of threads.
#pragma once

#include <cstdint>
#include <utility>

#include "base/task.hpp"

namespace shoal {

class Work {
public:
    explicit Work(Task& task) : task_(&task) {}

    void add(std::int64_t steps) {
        pending_ += steps;
        if (pending_ >= kBatch) flush();
    }
    // Called at the end of a block, so that the sum over all blocks is exact.
    void flush() { task_->spend(std::exchange(pending_, 0)); }

private:
    static constexpr std::int64_t kBatch = 1 << 16;
    Task* task_;
    std::int64_t pending_ = 0;
};

}  // namespace shoal
