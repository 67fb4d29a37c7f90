// A library that audits the dynamic linker (rtld-audit(7)), and leaves a trace where its code is executed.
#include <fcntl.h>
#include <unistd.h>

unsigned la_version(unsigned version) {
    close(open(TRACE, O_CREAT | O_WRONLY, 0666));
    return version;
}
