// What this processor can do beyond what every processor of its architecture can. One build serves all machines: a loop that gains by more
// is compiled in several forms, which give the same whole numbers, and the form is chosen when the program runs. The processor is asked
// directly, because the compiler's own question (__builtin_cpu_supports) needs a run-time library that is not linked everywhere.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define SHOAL_X86_64 1
#include <cpuid.h>
#endif

namespace shoal {

struct Processor {
    bool popcnt = false;       // counts bits of a word
    bool bmi2 = false;         // extracts bits by a mask
    bool avx2 = false;         // vectors of 32 bytes
    bool wide_popcnt = false;  // counts bits in vectors: AVX-512 with VPOPCNTDQ
};

inline Processor ask_processor() {
    Processor found;
#ifdef SHOAL_X86_64
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0) return found;
    found.popcnt = (c >> 23 & 1) != 0;
    unsigned kept = 0;  // registers that the operating system keeps when it switches between threads
    if ((c >> 27 & 1) != 0) {
        unsigned upper = 0;
        __asm__ volatile("xgetbv" : "=a"(kept), "=d"(upper) : "c"(0));
    }
    const bool vectors = (c >> 28 & 1) != 0 && (kept & 0x6) == 0x6;
    const bool large_vectors = vectors && (kept & 0xe0) == 0xe0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return found;
    found.bmi2 = (b >> 8 & 1) != 0;
    found.avx2 = vectors && (b >> 5 & 1) != 0;
    found.wide_popcnt = large_vectors && found.popcnt && (b >> 16 & 1) != 0 && (b >> 31 & 1) != 0 && (c >> 14 & 1) != 0;
#endif
    return found;
}

// A function, because variables of other files that are set when the program starts need the answer before.
inline const Processor& processor() {
    static const Processor found = ask_processor();
    return found;
}

}  // namespace shoal
