void each(void (*callback)(int)) {
#pragma omp parallel for
    for (int i = 0; i < 10; i++)
        callback(i);
}
