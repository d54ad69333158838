// Freed memory, back to the operating system.
#pragma once

#include <cstdlib>  // defines __GLIBC__ where it is the C library
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace shoal {

// glibc keeps what is freed between things that stay; after a large file was read in pieces that is a good part of its size.
inline void give_back_memory() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

}  // namespace shoal
