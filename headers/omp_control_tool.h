/*
 * omp_control_tool (OpenMP 5.0, 3.8.1) for programs that gcc compiles: gcc's omp.h does not declare it, and libgomp does not have it.
 * libora.so does. Beside an omp.h that declares it, as LLVM's, this header declares nothing.
 *
 * The declaration is weak: a program links without libora.so, and the address is null where nobody has the function.
 *
 *     if (omp_control_tool) omp_control_tool(omp_control_tool_pause, 0, 0);
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef ORA_OMP_CONTROL_TOOL_H
#define ORA_OMP_CONTROL_TOOL_H

#include <omp.h>

/* LLVM's and Intel's omp.h. */
#ifndef KMP_VERSION_MAJOR

#ifdef __cplusplus
extern "C" {
#endif

/* Standard commands. A tool may give others, from 64 on, a meaning of its own. */
typedef enum omp_control_tool_t {
    /* Start, or resume, watching. */
    omp_control_tool_start = 1,
    /* Pause watching. */
    omp_control_tool_pause = 2,
    /* Write out what has been collected. */
    omp_control_tool_flush = 3,
    /* Stop watching, for good. */
    omp_control_tool_end = 4
} omp_control_tool_t;

/* Answers of the call; a tool may answer other numbers from 64 on. */
typedef enum omp_control_tool_result_t {
    /* No tool is attached. */
    omp_control_tool_notool = -2,
    /* The tool has registered no callback for it. */
    omp_control_tool_nocallback = -1,
    /* The tool has done it. */
    omp_control_tool_success = 0,
    /* The tool ignores the command. */
    omp_control_tool_ignored = 1
} omp_control_tool_result_t;

/*
 * Passes a command to the tool of OpenMP 5 that watches the program.
 *
 * command: an omp_control_tool_t, or a number from 64 on. modifier, arg: the tool gives them a meaning; 0 and null are always right.
 * Returns an omp_control_tool_result_t, or a number of the tool's. Any thread may call it; not async-signal-safe.
 */
extern int omp_control_tool(int command, int modifier, void *arg) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif /* KMP_VERSION_MAJOR */
#endif /* ORA_OMP_CONTROL_TOOL_H */
