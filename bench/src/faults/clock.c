/* Loaded into a run before everything else: its wall clock jumps by FAULTS_JUMP_SECONDS after FAULTS_JUMP_AFTER readings. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static int readings;

int clock_gettime(clockid_t clock, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(clock, at);
    const char *by = getenv("FAULTS_JUMP_SECONDS"), *after = getenv("FAULTS_JUMP_AFTER");
    if (failed || clock != CLOCK_REALTIME || !by || !after) return failed;
    if (__atomic_add_fetch(&readings, 1, __ATOMIC_RELAXED) > atoi(after)) at->tv_sec += atoi(by);
    return 0;
}
