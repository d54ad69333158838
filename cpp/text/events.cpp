#include "text/events.hpp"

#include <algorithm>

#include "base/parallel.hpp"

namespace shoal {

namespace {

bool in_order(std::span<const int64_t> owner, std::span<const int64_t> time) {
    for (std::size_t i = 1; i < owner.size(); ++i)
        if (owner[i] < owner[i - 1] || (!time.empty() && owner[i] == owner[i - 1] && time[i] < time[i - 1])) return false;
    return true;
}

}  // namespace

std::vector<int64_t> event_order(std::span<const int64_t> owner, std::span<const int64_t> time, int64_t n_owners, int threads, Task& task) {
    if (in_order(owner, time)) return {};
    const auto n = static_cast<int64_t>(owner.size());
    std::vector<int64_t> start(n_owners + 1, 0), order(n);
    for (int64_t o : owner) ++start[o + 1];
    for (int64_t o = 0; o < n_owners; ++o) start[o + 1] += start[o];
    std::vector<int64_t> next(start.begin(), start.end() - 1);
    for (int64_t i = 0; i < n; ++i) order[next[owner[i]]++] = i;
    if (time.empty()) return order;
    task.begin(n_owners);
    const auto by_time = [&](int64_t a, int64_t b) { return time[a] < time[b]; };
    parallel_blocks(n_owners, 256, threads, task, [&](int64_t begin, int64_t end, int) {
        for (int64_t o = begin; o < end; ++o) {
            const auto first = order.begin() + start[o], last = order.begin() + start[o + 1];
            if (!std::is_sorted(first, last, by_time)) std::stable_sort(first, last, by_time);
        }
    });
    return order;
}

std::vector<int64_t> unlike_previous(std::span<const int64_t> owner, std::span<const int64_t> time, const TextColumn& payload) {
    std::vector<int64_t> kept;
    kept.reserve(owner.size());
    for (int64_t i = 0; i < static_cast<int64_t>(owner.size()); ++i)
        if (i == 0 || owner[i] != owner[i - 1] || time[i] != time[i - 1] || payload[i] != payload[i - 1]) kept.push_back(i);
    return kept;
}

SharedMoments shared_moments(std::span<const int64_t> owner, std::span<const int64_t> time, std::span<const int64_t> order) {
    SharedMoments out;
    const auto n = static_cast<int64_t>(owner.size());
    const auto event = [&](int64_t i) { return order.empty() ? i : order[i]; };
    for (int64_t begin = 0, end; begin < n; begin = end) {
        const int64_t first = event(begin);
        end = begin + 1;
        while (end < n && owner[event(end)] == owner[first] && time[event(end)] == time[first]) ++end;
        if (end - begin < 2) continue;
        for (int64_t i = begin; i < end; ++i) {
            out.events.push_back(event(i));
            out.moments.push_back(begin);
        }
    }
    return out;
}

}  // namespace shoal
