// Some groups of a pool are dissolved, and their rows join others or grow into new groups: how a search leaves a local optimum.
#pragma once

#include <cstdint>
#include <span>

#include "base/noise.hpp"
#include "vectors/pool.hpp"

namespace shoal {

// Numbers that look random, one after the other, from where they are asked for.
class NoiseSource {
public:
    NoiseSource(uint64_t seed, uint64_t place) : seed_(seed), place_(place) {}

    int below(int limit) { return static_cast<int>(noise(seed_, place_, next_++) % static_cast<uint64_t>(limit)); }

private:
    uint64_t seed_, place_, next_ = 0;
};

// Dissolves a group; each of its rows joins the group of the pool where it costs least. False where there is no room: the pool is then of
// no use until it is loaded again.
bool disband(Pool& pool, int group);

// Dissolves these groups and grows others from their rows, about as many: each from a seed, by the row of another owner that costs least.
// What is left over joins the groups of the pool where it costs least. False as above, or where no k owners are left together.
bool regrow(Pool& pool, std::span<const int> groups, NoiseSource& random);

}  // namespace shoal
