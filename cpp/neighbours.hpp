// Which groups are near each other: those whose meets have similar sketches.
#pragma once

#include "company.hpp"

namespace shoal {

// For each company the nearest ones, nearest first.
std::vector<std::vector<int32_t>> nearest_companies(const Scored& data, const std::vector<Company>& companies, int64_t most);

}  // namespace shoal
