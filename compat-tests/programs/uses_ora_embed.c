/* A runtime that reports its own events, in the common subset of C and C++. */
#include "ora_embed.h"
#include "ora_embed.h"

int main(void) {
    ora_embed_mark mark;
    const ora_embed_region *region = ora_embed_parallel_begin();
    ora_embed_wait_begin(ORA_EMBED_WAIT_LOCK, ORA_EMBED_HAS_LOCKS, &mark);
    ora_embed_wait_end(&mark);
    ora_embed_parallel_end(region);
    return 0;
}
