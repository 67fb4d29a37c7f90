/* Auditor (LD_AUDIT): writes the object to which the dynamic linker binds each OpenMP function of each object, as `IMPORTER NAME
 * PROVIDER`, to the file that ORA_TEST_BINDINGS names. */
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *last(const char *path) {
    const char *slash = strrchr(path, '/');
    return *path == 0 ? "program" : slash ? slash + 1 : path;
}

unsigned int la_version(unsigned int version) { return version; }

unsigned int la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie) {
    (void)space;
    *cookie = (uintptr_t)map;
    return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned int index, uintptr_t *from, uintptr_t *to, unsigned int *flags,
                       const char *name) {
    const char *path = getenv("ORA_TEST_BINDINGS");
    (void)index;
    (void)flags;
    if (path && (strncmp(name, "GOMP_", 5) == 0 || strncmp(name, "omp_", 4) == 0)) {
        char line[512];
        const char *importer = last(((struct link_map *)*from)->l_name);
        const char *provider = last(((struct link_map *)*to)->l_name);
        int length = snprintf(line, sizeof line, "%s %s %s\n", importer, name, provider);
        int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
        if (file < 0 || write(file, line, (size_t)length) != length) abort();
        close(file);
    }
    return symbol->st_value;
}
