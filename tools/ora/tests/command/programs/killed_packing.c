/* Preloaded: kills a process right after it has written the start of a packed trace. */
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t write(int file, const void *bytes, size_t length) {
    uint64_t begin[2] = {0, 0};
    if (length >= sizeof begin)
        memcpy(begin, bytes, sizeof begin);
    ssize_t written = syscall(SYS_write, file, bytes, length);
    if (memcmp(begin, "ORA TRCE", 8) == 0 && begin[1] == 2)
        kill(getpid(), SIGKILL);
    return written;
}
