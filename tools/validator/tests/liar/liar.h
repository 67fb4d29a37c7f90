/* A tool between a runtime and the validator: it passes every call on, and lies about one thing, which the variable
   LIE names. STRICT=1 also hides from the validator which runtime it is, so that nothing is let pass. */
#ifndef LIAR_H
#define LIAR_H

#include <omp-tools.h>

/* Whether this is the lie to tell. */
int lies(const char *name);
/* The same, for a lie that is told once. */
int lies_once(const char *name);
/* Whether the validator must not know that the runtime is libomp. Then the liar puts right what libomp does wrong. */
int strict(void);
/* A frame, in strict mode with flags that say what it is. */
const ompt_frame_t *mended(const ompt_frame_t *frame);

/* The validator's callbacks, by number. */
extern ompt_callback_t validator[64];
/* The liar's own function for a callback. */
ompt_callback_t liar(int number);
/* The liar's own function for an entry point, or the runtime's. */
ompt_interface_fn_t entry_point(const char *name, ompt_interface_fn_t real);

#endif
