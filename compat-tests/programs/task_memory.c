/* A program with its own tool of OpenMP 5, which queries the memory of a task's copies of variables: it is reported for a queued task,
 * and for no others. */
#define _DEFAULT_SOURCE
#include <omp-tools.h>

#include <stdio.h>

static ompt_get_task_memory_t get_task_memory;

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    (void)device;
    (void)data;
    get_task_memory = (ompt_get_task_memory_t)lookup("ompt_get_task_memory");
    return 1;
}

static void finalize(ompt_data_t *data) {
    (void)data;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version;
    (void)runtime;
    return &result;
}

struct answer {
    char *start;
    size_t size;
    int more;
};

static struct answer ask(int block) {
    struct answer answer = {(char *)&answer, 1, 7};
    void *start = answer.start;
    answer.more = get_task_memory(&start, &answer.size, block);
    answer.start = start;
    return answer;
}

static int is_nothing(struct answer answer) {
    return answer.start == NULL && answer.size == 0 && answer.more == 0;
}

/* True if the variable is in the block, which is hardly larger. (gcc leaves arrays there, and copies scalars once more.) */
static int is_in(struct answer answer, const void *variable, size_t size) {
    const char *first = variable;
    return answer.start <= first && first + size <= answer.start + answer.size && answer.size < size + 64 && !answer.more;
}

int main(void) {
    long numbers[20] = {0};
    char letter = 'x';
    int queued = 0, others = 0, inner = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        int i;
        for (i = 0; i < 10; i++) {
#pragma omp task firstprivate(numbers, letter) shared(queued, others, inner) untied
            {
                int found = is_in(ask(0), numbers, sizeof numbers);
                int nothing = is_nothing(ask(1));
#pragma omp atomic
                queued += found;
#pragma omp atomic
                others += nothing;
#pragma omp task firstprivate(letter) shared(inner) if (0)
                {
                    int undeferred = is_nothing(ask(0)) && letter == 'x';
#pragma omp atomic
                    inner += undeferred;
                }
                found = is_in(ask(0), numbers, sizeof numbers);
#pragma omp atomic
                queued += found;
            }
        }
        others += is_nothing(ask(0));
    }
    others += is_nothing(ask(0));
    printf("queued %d others %d undeferred %d\n", queued, others, inner);
    return 0;
}
