/* START and nothing else: states are kept, no event is raised. */
#include "trace.h"
#include "white_paper.h"

__attribute__((constructor)) static void attach(void) {
    int start[] = {16, REQ_START, 0, 0, 0};
    collector_api api = find_collector_api();
    trace_open("tracking");
    if (!api) return;
    api(start);
    trace_answer(0, start[2]);
}
