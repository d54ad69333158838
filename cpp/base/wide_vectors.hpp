// Vectors of 32 bytes, for processors that have them. A loop that uses them has a plain one next to it that gives the same whole numbers.
#pragma once

#include "base/processor.hpp"

#ifdef SHOAL_X86_64
#include <immintrin.h>
#define SHOAL_WIDE __attribute__((target("avx2")))
#endif

namespace shoal {

inline bool has_wide_vectors() { return processor().avx2; }

// Whether they are used; tests turn them off to compare.
inline bool wide_vectors = has_wide_vectors();

}  // namespace shoal
