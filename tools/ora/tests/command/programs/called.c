// Is loaded by a program, and calls it back.
void call(void (*back)(double), double seconds) {
  back(seconds);
  __asm__ volatile("");
}
