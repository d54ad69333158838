// Events of a log: putting them in order of owner and time, and telling repeats from the first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/task.hpp"
#include "text/text_column.hpp"

namespace shoal {

// The events by owner, then time, then arrival; empty where they already arrive like that. Owners are numbered from 0 to
// n_owners - 1. Without times: by owner, then arrival.
std::vector<int64_t> event_order(std::span<const int64_t> owner, std::span<const int64_t> time, int64_t n_owners, int threads, Task& task);

// The events that differ in owner, time or payload from the event just before them: clicks on one query follow one another in
// most logs, and leaving them out early keeps memory small.
std::vector<int64_t> unlike_previous(std::span<const int64_t> owner, std::span<const int64_t> time, const TextColumn& payload);

// The events that share their owner and time with another, in the order given (empty: as they arrive), and a number for each
// such pair of owner and time.
struct SharedMoments {
    std::vector<int64_t> events, moments;
};
SharedMoments shared_moments(std::span<const int64_t> owner, std::span<const int64_t> time, std::span<const int64_t> order);

}  // namespace shoal
