/* The trace of a test: every record of the process in one array, written as text when the process exits. */
#ifndef TRACE_H
#define TRACE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fills the tid and seq fields itself. */
struct trace_record {
    int32_t event, state, state_ec, prid_ec, parent_ec;
    uint64_t wait, prid, parent, task, creator;
};

/* Creates the array and arranges for it to be written to the file named by ORA_TEST_TRACE, with the process id appended to the name.
 * Must be called once, before anything else here. Without the variable nothing is recorded. */
void trace_open(const char *habit);

/* Async-signal-safe: takes a slot with one atomic addition. */
void trace_add(const struct trace_record *record);

/* Records the answer to REGISTER for an event. */
void trace_answer(int event, int ec);

/* True if events should be registered; false with TRACE_EVENTS=none. */
int trace_wants_events(void);

/* Makes the test fail with this message. The string must stay valid. */
void trace_complain(const char *words);

/* Starts the signals that TRACE_SAMPLE selects: "prof" is a profiling timer of the whole process, "each" a thread that signals every
 * thread in turn, including blocked ones. The handler runs on the interrupted thread. */
void sampler_start(void (*sample)(void));

#ifdef __cplusplus
}
#endif

#endif
