/* As much of LLVM's runtime as tells it from others, with libgomp's entry points as it has them. */
void __kmpc_fork_call(void)
{
}

int omp_get_thread_num(void)
{
    return 0;
}

void GOMP_barrier(void)
{
}

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags)
{
    (void)threads;
    (void)flags;
    function(data);
}
