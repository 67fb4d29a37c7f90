/* POMP2's functions for parts of a program that its author has marked: `#pragma pomp inst begin(name)` and its kin. libora
 * defines them; they tell its tools nothing. */
#ifndef POMP2_USER_LIB_H
#define POMP2_USER_LIB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef __opari2_region_handle
#define __opari2_region_handle
typedef void *OPARI2_Region_handle;
#endif
typedef OPARI2_Region_handle POMP2_USER_Region_handle;

/* Made by OPARI's scripts; libora needs neither. */
extern size_t POMP2_USER_Get_num_regions(void);
extern void POMP2_USER_Init_regions(void);

extern void POMP2_USER_Assign_handle(POMP2_USER_Region_handle *handle, const char string[]);
extern void POMP2_Begin(POMP2_USER_Region_handle *handle, const char string[]);
extern void POMP2_End(POMP2_USER_Region_handle *handle);
extern void POMP2_Init(void);
extern void POMP2_Finalize(void);
extern void POMP2_On(void);
extern void POMP2_Off(void);

#ifdef __cplusplus
}
#endif

#endif
