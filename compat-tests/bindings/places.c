/* To be preloaded: at the program's end, writes where each OpenMP function of each object leads, as `IMPORTER NAME PROVIDER`, to the
 * file that ORA_TEST_BINDINGS names. Reads the GOT slots and data that the dynamic linker has filled. If they contain the address of
 * code of the library that jumps through a slot, the slot is read; this works as long as no tool has attached. An entry whose function
 * is not known yet leads to the library itself. */
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tables {
    const char *strings;
    const Elf64_Sym *symbols;
    const Elf64_Rela *rela[2];
    size_t bytes[2];
};

static const char *last(const char *path) {
    const char *slash = strrchr(path, '/');
    return *path == 0 ? "program" : slash ? slash + 1 : path;
}

/* Name of the object that contains an address, which may be the program. */
static const char *holder(const void *address) {
    Dl_info info;
    struct link_map *map = NULL;
    return dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) && map ? last(map->l_name) : "nobody";
}

#ifdef __aarch64__
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, GLOB_DAT = R_AARCH64_GLOB_DAT, ADDRESS = R_AARCH64_ABS64 };

/* The word through which a stub jumps: adrp x16; add x16, x16, #n, for which a linker puts nop if n is 0; for libgomps other than the first add x9, x16, #n; ldar x16, [x16]. */
static const void *const *word_of(const unsigned char *code) {
    uint32_t adrp, add;
    int64_t pages;
    memcpy(&adrp, code, 4);
    memcpy(&add, code + 4, 4);
    if (add == 0xd503201f) add = 0x91000210;
    if ((adrp & 0x9f00001f) != 0x90000010 || (add & 0xffc003ff) != 0x91000210) return NULL;
    pages = (int64_t)((uint64_t)(adrp >> 5 & 0x7ffff) << 45) >> 43 | (adrp >> 29 & 3);
    return (const void *const *)(((uintptr_t)code & ~(uintptr_t)0xfff) + pages * 4096 + (add >> 10 & 0xfff));
}
#else
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, GLOB_DAT = R_X86_64_GLOB_DAT, ADDRESS = R_X86_64_64 };

/* Word through which a stub jumps: jmp *distance(%rip). Stubs of libgomps other than the first put an address in r11 before that: lea
 * 0x0(%rip), %r11. */
static const void *const *word_of(const unsigned char *code) {
    int distance;
    if (code[0] == 0x4c && code[1] == 0x8d && code[2] == 0x1d) code += 7;
    if (code[0] != 0xff || code[1] != 0x25) return NULL;
    memcpy(&distance, code + 2, sizeof distance);
    return (const void *const *)(code + 6 + distance);
}
#endif

static const void *behind(const void *address) {
    int jumps;
    for (jumps = 0; jumps < 3; jumps++) {
        const void *const *word;
        if (strcmp(holder(address), "libora.so") != 0) break;
        word = word_of(address);
        if (!word) break;
        memcpy(&address, word, sizeof address);
    }
    return address;
}

static int each(struct dl_phdr_info *info, size_t size, void *file) {
    struct tables t = {0};
    const Elf64_Dyn *dyn = NULL;
    int i;
    size_t k;
    (void)size;
    for (i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dyn = (const Elf64_Dyn *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    if (!dyn || strstr(info->dlpi_name, "libora") || strncmp(info->dlpi_name, "linux-vdso", 10) == 0) return 0;
    for (; dyn->d_tag != DT_NULL; dyn++) {
        const void *address = (const void *)dyn->d_un.d_ptr;
        if (dyn->d_tag == DT_STRTAB) t.strings = address;
        if (dyn->d_tag == DT_SYMTAB) t.symbols = address;
        if (dyn->d_tag == DT_RELA) t.rela[0] = address;
        if (dyn->d_tag == DT_RELASZ) t.bytes[0] = dyn->d_un.d_val;
        if (dyn->d_tag == DT_JMPREL) t.rela[1] = address;
        if (dyn->d_tag == DT_PLTRELSZ) t.bytes[1] = dyn->d_un.d_val;
    }
    for (i = 0; i < 2; i++)
        for (k = 0; t.rela[i] && k < t.bytes[i] / sizeof(Elf64_Rela); k++) {
            const Elf64_Rela *rela = &t.rela[i][k];
            const Elf64_Sym *symbol = &t.symbols[ELF64_R_SYM(rela->r_info)];
            const char *name = t.strings + symbol->st_name;
            const unsigned long type = ELF64_R_TYPE(rela->r_info);
            const void *address;
            if (type != JUMP_SLOT && type != GLOB_DAT && type != ADDRESS) continue;
            if (symbol->st_shndx != SHN_UNDEF || rela->r_addend != 0) continue;
            if (strncmp(name, "GOMP_", 5) != 0 && strncmp(name, "omp_", 4) != 0) continue;
            memcpy(&address, (const void *)(info->dlpi_addr + rela->r_offset), sizeof address);
            fprintf(file, "%s %s %s\n", last(info->dlpi_name), name, holder(behind(address)));
        }
    return 0;
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("ORA_TEST_BINDINGS");
    /* A child of the program may end after it, and must not truncate the file. */
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file) return;
    dl_iterate_phdr(each, file);
    if (fclose(file) != 0) abort();
}
