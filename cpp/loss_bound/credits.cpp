#include "loss_bound/credits.hpp"

#include "base/parallel.hpp"
#include "loss_bound/tightest.hpp"

namespace shoal {

namespace {

constexpr int64_t kMostPatience = 200'000'000;  // steps of one search
constexpr int64_t kMostRounds = 12;

// Some of these, evenly spread.
std::vector<int64_t> thinned(const std::vector<int64_t>& all, int64_t most) {
    const auto n = static_cast<int64_t>(all.size());
    if (n <= most) return all;
    std::vector<int64_t> some;
    for (int64_t i = 0; i < most; ++i) some.push_back(all[i * n / most]);
    return some;
}

}  // namespace

void lower_credits(const Scored& rows, std::span<const int64_t> copies, std::vector<int64_t>& credits, int64_t work, int threads, Task& task) {
    const int64_t look = static_cast<int64_t>(rows.counts.ids.size()) + 1;  // the steps of looking at every row
    std::vector<Group> tightest(rows.size());
    std::vector<int64_t> active;
    for (int64_t r = 0; r < rows.size(); ++r)
        if (copies[r] < rows.k) active.push_back(r);  // k that are alike need nobody else
    for (int64_t round = 0; round < kMostRounds && !active.empty(); ++round) {
        const int64_t allowed = work / 2, each = std::max(2 * look, allowed / static_cast<int64_t>(active.size()));
        const std::vector<int64_t> chosen = thinned(active, allowed / each);
        if (chosen.empty()) return;
        std::vector<int64_t> excess(chosen.size()), steps(chosen.size());
        task.begin(static_cast<int64_t>(chosen.size()));
        parallel_blocks(static_cast<int64_t>(chosen.size()), 16, threads, task, [&](int64_t begin, int64_t end, int) {
            Tightest search(rows, copies, credits, std::min(kMostPatience, each), task);
            for (int64_t i = begin; i < end; ++i) {
                excess[i] = search.excess(chosen[i], tightest[chosen[i]]);
                steps[i] = search.steps();
            }
        });
        int64_t lowered = 0, total = 0;
        std::vector<bool> done(rows.size(), false);
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const int64_t row = chosen[i], by = std::min(credits[row], std::max<int64_t>(0, excess[i]) / rows.k);
            credits[row] -= by, lowered += by * copies[row], work -= steps[i];
            done[row] = by == 0;  // it has a tight group, which stays tight as credits only fall; or finding one takes too long
        }
        std::erase_if(active, [&](int64_t r) { return done[r]; });
        for (int64_t r = 0; r < rows.size(); ++r) total += credits[r] * copies[r];
        if (lowered < total / 1000) return;
    }
}

}  // namespace shoal
