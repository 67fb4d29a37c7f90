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

/* omp-tools.h has this part, too: a file may include both, in any order, and omp.h before or after them. */
#ifndef ORA_OMP_CONTROL_TOOL_ENUMS
#define ORA_OMP_CONTROL_TOOL_ENUMS

/* Where omp.h declares them, as LLVM's and Intel's do, and gcc's from gcc 17 on, these are the declarations. */
#ifdef __has_include
#if __has_include(<omp.h>)
#include <omp.h>
#endif
#endif

#if !defined(KMP_VERSION_MAJOR) && !(defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 17)
/* Standard commands (OpenMP 5.0, 3.8.1). A tool may give others, from 64 on, a meaning of its own. */
typedef enum omp_control_tool_t {
    /* Start, or resume, watching. */
    omp_control_tool_start = 1,
    /* Pause watching. */
    omp_control_tool_pause = 2,
    /* Write out what has been collected. */
    omp_control_tool_flush = 3,
    /* Stop watching, for good. */
    omp_control_tool_end = 4,
    /* 6.1: none; with it the type has room for every `int`. */
    omp_control_tool_max = 0x7fffffff
} omp_control_tool_t;

/* Answers of the call (OpenMP 5.0, 3.8.1); a tool may answer other numbers from 64 on. */
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
#endif

#endif /* ORA_OMP_CONTROL_TOOL_ENUMS */

/* LLVM's and Intel's omp.h declare the function. */
#ifndef KMP_VERSION_MAJOR

#ifdef __cplusplus
extern "C" {
#endif

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
