/* Keeps a program of a given size alive while a command examines it: with GROWTH_HOLD set, until its stdin ends. */
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

static inline int is_held(void) {
    static int said;
    if (getenv("GROWTH_HOLD") == NULL) return 0;
    if (!said && write(STDOUT_FILENO, "\n", 1) == 1) said = 1;
    return 1;
}

/* Waits where the size is reached. */
static inline void hold(void) {
    char byte;
    while (is_held() && read(STDIN_FILENO, &byte, 1) > 0) {
    }
}

/* True if everything is to be executed once more. */
static inline int again(void) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return is_held() && poll(&input, 1, 0) == 0;
}
