#include "group_search/identical.hpp"

namespace shoal {

namespace {

// Leaves one record of each person, and returns the others.
std::vector<int64_t> take_further_copies(const Scored& data, std::vector<int64_t>& records) {
    std::ranges::stable_sort(records, {}, [&](int64_t r) { return data.owner[r]; });
    std::vector<int64_t> firsts, further;
    for (std::size_t i = 0; i < records.size(); ++i)
        (i > 0 && data.owner[records[i]] == data.owner[records[i - 1]] ? further : firsts).push_back(records[i]);
    std::ranges::sort(firsts);
    std::ranges::sort(further);
    records = std::move(firsts);
    return further;
}

void form_groups(const Scored& data, std::vector<int64_t>& records, IdenticalGroups& out) {
    std::vector<int64_t> further;
    if (data.owners_repeat) further = take_further_copies(data, records);
    const int64_t full = static_cast<int64_t>(records.size()) / data.k;
    // People who are left over could serve other groups. Where people own several records they are scarce, and stay with their equals.
    const auto left = records.begin() + full * data.k;
    std::vector<int64_t>& elsewhere = data.owners_repeat && full > 0 ? further : out.rest;
    elsewhere.insert(elsewhere.end(), left, records.end());
    if (full == 0) out.rest.insert(out.rest.end(), further.begin(), further.end());
    for (int64_t g = 0; g < full; ++g) {
        Group group(records.begin() + g * data.k, records.begin() + (g + 1) * data.k);
        for (auto i = static_cast<std::size_t>(g); i < further.size(); i += static_cast<std::size_t>(full)) group.push_back(further[i]);
        out.groups.add(group);
    }
}

}  // namespace

IdenticalGroups identical_groups(const Scored& data, std::span<const int64_t> kind, std::span<const int64_t> times, Task& task) {
    std::vector<std::vector<int64_t>> same(times.size());
    IdenticalGroups out;
    for (int64_t r = 0; r < data.size(); ++r) (times[kind[r]] >= data.k ? same[kind[r]] : out.rest).push_back(r);
    for (auto& records : same) {
        task.check();
        if (!records.empty()) form_groups(data, records, out);
    }
    std::ranges::sort(out.rest);
    return out;
}

}  // namespace shoal
