/* Calls of the operating system that fail on purpose, loaded before the C library (LD_PRELOAD).

   `fault_arm` chooses a class of calls and which of them fails: the first `after` calls succeed. Only files below `fault_below` count.
   Without it, calls are counted and none fails: `fault_count` tells how many calls a whole run makes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { WRITE, READ, CHANGE, MEMORY, CLOCK, CLASSES }; /* CHANGE: everything that changes a directory or a file */

static const size_t large = 2048; /* smaller blocks of memory are never refused */
static char below[PATH_MAX];
static long counts[CLASSES], after = -1;
static int armed = -1, number, lasting;
static double jump;

void fault_below(const char *path) { snprintf(below, sizeof below, "%s", path); }

/* From now on the call after `calls` of a class fails with an error; with `forever` also all later ones. The clock jumps by `seconds`. */
void fault_arm(int class, long calls, int error, int forever, double seconds) {
    memset(counts, 0, sizeof counts);
    armed = class;
    after = calls;
    number = error;
    lasting = forever;
    jump = seconds;
}

long fault_count(int class) { return counts[class]; }

static int hit(int class) {
    long n = __atomic_fetch_add(&counts[class], 1, __ATOMIC_RELAXED);
    return class == armed && after >= 0 && (n == after || (lasting && n > after));
}

static int is_below(const char *path) {
    size_t length = strlen(below);
    return length && strncmp(path, below, length) == 0 && path[length] == '/';
}

static int counted(int fd) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return is_below(path);
}

static int changes(int directory, const char *path) { /* relative names are those of the working directory, which is below */
    return below[0] && (path[0] != '/' || is_below(path)) && (directory == AT_FDCWD || path[0] == '/' || counted(directory)) && hit(CHANGE);
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define FAIL do { errno = number; return -1; } while (0)

ssize_t write(int fd, const void *data, size_t n) {
    REAL(write);
    if (counted(fd) && (hit(WRITE) | hit(CHANGE))) FAIL;
    return real(fd, data, n);
}
ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at) {
    REAL(pwrite64);
    if (counted(fd) && (hit(WRITE) | hit(CHANGE))) FAIL;
    return real(fd, data, n, at);
}
ssize_t writev(int fd, const struct iovec *parts, int n) {
    REAL(writev);
    if (counted(fd) && (hit(WRITE) | hit(CHANGE))) FAIL;
    return real(fd, parts, n);
}
int fsync(int fd) {
    REAL(fsync);
    if (counted(fd) && (hit(WRITE) | hit(CHANGE))) FAIL;
    return real(fd);
}
int ftruncate64(int fd, off64_t length) {
    REAL(ftruncate64);
    if (counted(fd) && (hit(WRITE) | hit(CHANGE))) FAIL;
    return real(fd, length);
}
ssize_t read(int fd, void *data, size_t n) {
    REAL(read);
    if (counted(fd) && hit(READ)) FAIL;
    return real(fd, data, n);
}
ssize_t pread64(int fd, void *data, size_t n, off64_t at) {
    REAL(pread64);
    if (counted(fd) && hit(READ)) FAIL;
    return real(fd, data, n, at);
}
int rename(const char *from, const char *to) {
    REAL(rename);
    if (changes(AT_FDCWD, to)) FAIL;
    return real(from, to);
}
int renameat(int here, const char *from, int there, const char *to) {
    REAL(renameat);
    if (changes(there, to)) FAIL;
    return real(here, from, there, to);
}
int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    if (changes(AT_FDCWD, path)) FAIL;
    return real(path, mode);
}
int unlinkat(int here, const char *path, int flags) {
    REAL(unlinkat);
    if (changes(here, path)) FAIL;
    return real(here, path, flags);
}
int unlink(const char *path) {
    REAL(unlink);
    if (changes(AT_FDCWD, path)) FAIL;
    return real(path);
}
int rmdir(const char *path) {
    REAL(rmdir);
    if (changes(AT_FDCWD, path)) FAIL;
    return real(path);
}
int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    REAL(open64);
    if ((flags & O_CREAT) && changes(AT_FDCWD, path)) FAIL;
    return real(path, flags, mode);
}
int openat64(int here, const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    REAL(openat64);
    if ((flags & O_CREAT) && changes(here, path)) FAIL;
    return real(here, path, flags, mode);
}

extern void *__libc_malloc(size_t);
void *malloc(size_t n) {
    if (n >= large && below[0] && hit(MEMORY)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(n);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    REAL(clock_gettime);
    int answer = real(clock, now);
    if (!answer && clock == CLOCK_REALTIME && below[0] && hit(CLOCK)) now->tv_sec += (time_t)jump;
    return answer;
}
