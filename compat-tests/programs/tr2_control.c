/* Calls ompt_control as ompt_tr2.h shows it, and prints whether it exists. */
#include <ompt_tr2.h>
#include <stdio.h>

int main(void) {
    if (ompt_control) ompt_control(1, 7);
    else puts("nobody");
    return 0;
}
