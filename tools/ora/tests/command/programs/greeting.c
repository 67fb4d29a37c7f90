/* Says something on both streams, and ends with an exit code of its own. Needs nothing but a C library. */
#include <unistd.h>

int main(void) {
    if (write(1, "out\n", 4) != 4 || write(2, "err\n", 4) != 4) return 1;
    return 3;
}
