// Vectors of 32 bytes, for processors that have them. The program is built for all processors and asks when it runs, so a loop that uses
// them has a plain one beside it that gives the same whole numbers.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define SHOAL_WIDE __attribute__((target("avx2")))
#endif

namespace shoal {

inline bool has_wide_vectors() {
#ifdef SHOAL_WIDE
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") != 0;
#else
    return false;
#endif
}

// Whether they are used; tests turn them off to compare.
inline bool wide_vectors = has_wide_vectors();

}  // namespace shoal
