/* Runs until it is killed or its parent has ended. */
#include <unistd.h>

int main(void) {
    pid_t parent = getppid();
    while (getppid() == parent)
        for (volatile int i = 0; i < 1000000; i++) {
        }
    return 0;
}
