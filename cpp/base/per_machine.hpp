// One build serves all machines: a short loop that decides the speed is compiled for several kinds of processor, and the right form is
// chosen when the program starts. That is done by the loader of glibc; elsewhere, and under sanitizers, there is the plain form alone.
#pragma once

#if __has_include(<features.h>)
#include <features.h>  // defines __GLIBC__ where the C library is glibc
#endif

#if defined(__x86_64__) && defined(__ELF__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SHOAL_PER_MACHINE __attribute__((target_clones("arch=icelake-server", "popcnt", "default")))
#else
#define SHOAL_PER_MACHINE
#endif
