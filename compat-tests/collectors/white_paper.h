/* What a collector needs to know, copied from the white paper of 2007: numbers, and how to find the one function. On purpose this is not
 * the project's own header: a collector of that time brings its own. */
#ifndef WHITE_PAPER_H
#define WHITE_PAPER_H

#include <dlfcn.h>
#include <string.h>

enum { REQ_START, REQ_REGISTER, REQ_UNREGISTER, REQ_STATE, REQ_CURRENT_PRID, REQ_PARENT_PRID, REQ_STOP, REQ_PAUSE,
       REQ_RESUME, REQ_TASK_ID, REQ_TASK_PID };
enum { EC_OK, EC_ERROR, EC_UNKNOWN, EC_UNSUPPORTED, EC_SEQUENCE_ERR, EC_OBSOLETE, EC_THREAD_ERR, EC_MEM_TOO_SMALL };
enum { EVENT_FORK = 1, EVENT_JOIN, EVENT_BEGIN_IDLE, EVENT_END_IDLE, EVENT_BEGIN_IBAR, EVENT_END_IBAR,
       EVENT_BEGIN_EBAR, EVENT_END_EBAR, EVENT_BEGIN_LKWT, EVENT_END_LKWT, EVENT_BEGIN_CTWT, EVENT_END_CTWT,
       EVENT_BEGIN_ODWT, EVENT_END_ODWT, EVENT_BEGIN_MASTER, EVENT_END_MASTER, EVENT_BEGIN_SINGLE, EVENT_END_SINGLE,
       EVENT_BEGIN_ORDERED, EVENT_END_ORDERED, EVENT_BEGIN_ATWT, EVENT_END_ATWT,
       EVENT_LAST = 35 };
enum { STATE_OVHD = 1, STATE_WORK, STATE_IBAR, STATE_EBAR, STATE_IDLE, STATE_SERIAL, STATE_REDUC, STATE_LKWT,
       STATE_CTWT, STATE_ODWT, STATE_ATWT };

typedef int (*collector_api)(void *);
typedef void (*event_callback)(int);

/* NULL if no library with the interface is loaded. */
static inline collector_api find_collector_api(void) {
    collector_api api;
    void *symbol = dlsym(RTLD_DEFAULT, "__omp_collector_api");
    memcpy(&api, &symbol, sizeof api);
    return api;
}

#endif
