#include "disband.hpp"

#include <limits>

namespace shoal {

bool Disbander::improve(int64_t company) {
    if (!find_homes(company)) return false;
    int64_t gain = -companies_[company].told();
    for (Home& home : found_) {
        musterer_.muster(home.after);
        gain += home.after.told() - companies_[home.company].told();
    }
    if (gain <= 0) return false;
    for (Home& home : found_) std::swap(companies_[home.company], home.after);
    companies_[company] = {};
    return true;
}

// A home for each member. False where somebody finds none, or where, each member taken for itself, too much would be lost: mostly known
// as soon as the first has looked round.
bool Disbander::find_homes(int64_t company) {
    found_.clear();
    const Company& leaving = companies_[company];
    int64_t at_most = -leaving.told();
    for (int64_t r : leaving.members) at_most += value_[r];
    for (int64_t r : leaving.members) {
        int64_t gain = 0;
        if (at_most <= 0 || !join_best(r, company, value_[r] - at_most, gain)) return false;
        at_most += gain - value_[r];
    }
    return at_most > 0;
}

bool Disbander::join_best(int64_t record, int64_t from, int64_t least, int64_t& gain) {
    int64_t best = -1, most = std::numeric_limits<int64_t>::min();
    record_.spread(data_.counts, record);
    for (int32_t c : map_.homes(record, homes_, least)) {
        const Company& there = companies_[c];
        if (c == from || there.size() == 0) continue;
        const Group& members = members_by_now(c);
        if (static_cast<int64_t>(members.size()) + 1 >= 2 * data_.k || data_.holds_owner(members, record)) continue;
        const int64_t gained = (there.size() + 1) * shared_with(record_, there) - there.told();
        if (gained > most) most = gained, best = c;
    }
    record_.clear(data_.counts, record);
    if (best < 0) return false;
    gain = most;
    join(record, best);
    return true;
}

const Group& Disbander::members_by_now(int64_t company) const {
    for (const Home& home : found_)
        if (home.company == company) return home.after.members;
    return companies_[company].members;
}

void Disbander::join(int64_t record, int64_t company) {
    for (Home& home : found_)
        if (home.company == company) return home.after.members.push_back(record);
    Home& home = found_.emplace_back();
    home.company = company;
    home.after.members = companies_[company].members;
    home.after.members.push_back(record);
}

}  // namespace shoal
