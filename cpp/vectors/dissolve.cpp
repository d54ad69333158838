#include "vectors/dissolve.hpp"

#include <limits>
#include <vector>

namespace shoal {

namespace {

std::vector<int> freed(Pool& pool, std::span<const int> groups) {
    std::vector<int> rows;
    for (int g : groups)
        for (int i = 0; i < pool.rows(); ++i)
            if (pool.home(i) == g) rows.push_back(i);
    for (int i : rows) pool.put(i, -1);
    return rows;
}

bool join_cheapest(Pool& pool, std::span<const int> rows) {
    for (int i : rows) {
        int home = -1;
        double least = std::numeric_limits<double>::infinity();
        for (int g = 0; g < pool.slots(); ++g) {
            if (!pool.has_room(g)) continue;
            const double cost = pool.cost_of_joining(i, g);
            if (cost < least) home = g, least = cost;
        }
        if (home < 0) return false;
        pool.put(i, home);
    }
    return true;
}

void take(Pool& pool, std::vector<int>& free, std::size_t place, int group) {
    pool.put(free[place], group);
    free.erase(free.begin() + static_cast<std::ptrdiff_t>(place));
}

// The row that lies farthest from another one.
std::size_t farthest(const Pool& pool, const std::vector<int>& free, int from) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < free.size(); ++i)
        if (pool.apart(free[i], from) > pool.apart(free[best], from)) best = i;
    return best;
}

// Grows an empty group from a seed until it has k owners.
bool grow(Pool& pool, std::vector<int>& free, std::size_t seed, int group) {
    take(pool, free, seed, group);
    while (!pool.complete(group)) {
        std::size_t best = free.size();
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < free.size(); ++i) {
            if (pool.has_owner_of(group, free[i])) continue;
            const double cost = pool.cost_of_joining(free[i], group);
            if (cost < least) best = i, least = cost;
        }
        if (best == free.size()) return false;
        take(pool, free, best, group);
    }
    return true;
}

}  // namespace

bool disband(Pool& pool, int group) { return join_cheapest(pool, freed(pool, std::span(&group, 1))); }

bool regrow(Pool& pool, std::span<const int> groups, NoiseSource& random) {
    std::vector<int> free = freed(pool, groups);
    const int wanted = static_cast<int>(groups.size()) - 1 + random.below(3);
    int last = free[random.below(static_cast<int>(free.size()))];
    for (int made = 0, g = 0; made < wanted && !free.empty(); ++made, ++g) {
        while (g < pool.slots() && pool.size(g)) ++g;
        if (g == pool.slots()) break;
        const std::size_t seed = random.below(2) ? farthest(pool, free, last) : random.below(static_cast<int>(free.size()));
        last = free[seed];
        if (grow(pool, free, seed, g)) continue;
        const std::vector<int> rows = freed(pool, std::span(&g, 1));  // too few owners are left for another group
        free.insert(free.end(), rows.begin(), rows.end());
        break;
    }
    return join_cheapest(pool, free);
}

}  // namespace shoal
