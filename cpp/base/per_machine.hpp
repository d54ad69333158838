// SHOAL_PER_MACHINE(f, (int64_t a, int64_t b), a, b) defines int64_t f(int64_t a, int64_t b) by a loop f_loop, declared SHOAL_LOOP, which is
// compiled for several kinds of processor. It is for loops that count bits.
#pragma once

#include "base/processor.hpp"

#define SHOAL_LOOP [[gnu::always_inline]] static inline

#ifdef SHOAL_X86_64
#ifdef __clang__
#define SHOAL_WIDE_POPCNT "avx512f,avx512vl,avx512vpopcntdq,popcnt"
#else
#define SHOAL_WIDE_POPCNT "avx512f,avx512vl,avx512vpopcntdq,popcnt,prefer-vector-width=256"
#endif
#define SHOAL_PER_MACHINE(NAME, PARAMETERS, ...)                                                                        \
    [[gnu::target(SHOAL_WIDE_POPCNT)]] static int64_t NAME##_wide PARAMETERS { return NAME##_loop(__VA_ARGS__); }       \
    [[gnu::target("popcnt")]] static int64_t NAME##_popcnt PARAMETERS { return NAME##_loop(__VA_ARGS__); }              \
    static int64_t NAME##_plain PARAMETERS { return NAME##_loop(__VA_ARGS__); }                                         \
    static int64_t(*const NAME##_chosen) PARAMETERS = ::shoal::processor().wide_popcnt ? NAME##_wide                    \
                                                      : ::shoal::processor().popcnt    ? NAME##_popcnt                  \
                                                                                       : NAME##_plain;                  \
    int64_t NAME PARAMETERS { return NAME##_chosen(__VA_ARGS__); }
#else
#define SHOAL_PER_MACHINE(NAME, PARAMETERS, ...) \
    int64_t NAME PARAMETERS { return NAME##_loop(__VA_ARGS__); }
#endif
