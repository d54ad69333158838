// Numbers that look random and are the same on every machine and run, whatever the threads: a hash of where they are asked for.
#pragma once

#include <cstdint>

namespace shoal {

// The finalizer of SplitMix64.
inline std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

inline std::uint64_t noise(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    return mixed((a + 1) * 0x9e3779b97f4a7c15ULL + b * 0xd1b54a32d192ed03ULL + c * 0x8cb92ba72f3d8dd7ULL);
}

}  // namespace shoal
