/* For programs that can't ask themselves. */
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>

void here(const char *tag);

static int bias(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    fprintf(stderr, "bias 0x%lx\n", (unsigned long)info->dlpi_addr);
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    dl_iterate_phdr(bias, NULL);
}

__attribute__((noinline)) void here(const char *tag)
{
    fprintf(stderr, "%s %p\n", tag, __builtin_return_address(0));
}
