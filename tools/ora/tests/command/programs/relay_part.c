/* A library with a race on VARIABLE. ThreadSanitizer reports each address once: LENGTH keeps code and data of two libraries apart. */
#define WORD(text) #text
#define TEXT(text) WORD(text)

int VARIABLE[LENGTH];

void run(void) {
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 1000; i++) {
        __asm__ volatile(".rept " TEXT(LENGTH) "\n nop\n .endr");
        VARIABLE[LENGTH - 1]++;
    }
}
