// A property that must hold for every input: if it does not, the program ends, and the fuzzer keeps the input.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace shoal::fuzzers {

inline void insist(bool holds, const char* property) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", property);
    std::abort();
}

}  // namespace shoal::fuzzers
