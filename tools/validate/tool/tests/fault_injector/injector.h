/* A tool between a runtime and the validator: it passes every call on, and injects one fault, which the variable
   FAULT names. STRICT=1 also hides the runtime from the validator, so that no deviation is accepted. */
#ifndef INJECTOR_H
#define INJECTOR_H

#include <omp-tools.h>

/* True if this is the fault to inject. */
int fault_is(const char *name);
/* True if this is the fault to inject, at the first call only. */
int fault_once(const char *name);
/* True if the validator must not know that the runtime is libomp. Then the injector corrects libomp's deviations. */
int strict(void);
/* A frame, in strict mode with the flags that belong to it. */
const ompt_frame_t *mended(const ompt_frame_t *frame);

/* The validator's callbacks, by number. */
extern ompt_callback_t validator[64];
/* The injector's own function for a callback. */
ompt_callback_t injected_callback(int number);
/* The injector's own function for an entry point, or the runtime's. */
ompt_interface_fn_t entry_point(const char *name, ompt_interface_fn_t real);

#endif
