#!/bin/sh
# Creates stub libraries for the linker: stubs.sh FOLDER. They represent the C library and libgcc_s of old releases, as a linker sees them.
# glibc keeps each symbol's old versions, and the linker takes the newest one of the library that it is given. A stub has the newest version
# of each symbol that is old enough, and no code. A symbol that was added later is missing: linking fails and names it. Also set:
# ORA_PROCESSOR.
set -eu
folder=$(realpath -m -- "$1")
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
case $ORA_PROCESSOR in
    x86_64) dynamic_linker=ld-linux-x86-64.so.2 ;;
    aarch64) dynamic_linker=ld-linux-aarch64.so.1 ;;
esac
rm -rf -- "$folder"
mkdir -p -- "$folder"
cd -- "$folder"

of_gcc() { # NAME: the path of a file that gcc links
    path=$(gcc -print-file-name="$1")
    case $path in
        /*) echo "$path" ;;
        *) echo "gcc has no $1. Next: install libc6-dev" >&2; exit 1 ;;
    esac
}
symbols() { # LIBRARY FILE...: symbols of libraries of this system, each as LIBRARY TYPE SIZE NAME@VERSION
    library=$1
    shift
    for file; do
        path=$(of_gcc "$file")
        readelf --wide --dyn-syms "$path" |
            awk -v library="$library" '$1 ~ /:$/ && $5 != "LOCAL" && $7 != "UND" && $7 != "ABS" { print library, $4, $3, $8 }'
    done
}
{
    # Parts of it had their own files until glibc 2.34.
    symbols c libpthread.so.0 libdl.so.2 librt.so.1 libutil.so.1 libc.so.6 "$dynamic_linker"
    symbols m libm.so.6
    symbols gcc_s libgcc_s.so.1
} >symbols

# The definitions of each stub for the assembler (NAME.s), and their versions for the linker (NAME.map).
awk '
    # The version as a number; 0 for symbols that the oldest supported systems lack: glibc 2.17, and the libgcc_s of that time.
    function age(version,   part, number) {
        split(version, part, "[_.]")
        number = part[2] * 1000000 + part[3] * 1000 + part[4]
        return (part[1] == "GLIBC" && number <= 2017000) || (part[1] == "GCC" && number <= 4008000) ? number : 0
    }
    # The stub that defines a symbol.
    function place(library, name) {
        if (library != "c") return library
        if (name == "__tls_get_addr") return ""
        if (name ~ /^(_*pthread_|sem_)/) return "pthread"
        if (name ~ /^dl(addr1?|close|error|info|m?open|v?sym)$/) return "dl"
        if (name ~ /^(aio|mq|shm|timer)_/) return "rt"
        if (name ~ /^(forkpty|openpty|login_tty)$/) return "util"
        return "c"
    }
    $2 ~ /^(FUNC|IFUNC|OBJECT)$/ && split($4, symbol, "@+") == 2 {
        stub = place($1, symbol[1])
        key = stub SUBSEP symbol[1]
        if (stub == "" || age(symbol[2]) <= newest[key]) next
        newest[key] = age(symbol[2])
        version[key] = symbol[2]
        size[key] = $2 == "OBJECT" ? $3 : ""
    }
    END {
        for (key in version) {
            split(key, part, SUBSEP)
            file = part[1] ".s"
            kind = size[key] == "" ? ".text\n.type %s, @function" : ".data\n.type %s, @object\n.size %s, " size[key]
            gsub(/%s/, part[2], kind)
            if (!(file in begun)) print ".section .note.GNU-stack,\"\",@progbits" >file
            begun[file]
            print kind "\n.globl " part[2] "\n" part[2] ": " (size[key] == "" ? "" : ".zero " size[key]) >file
            names[part[1] SUBSEP version[key]] = names[part[1] SUBSEP version[key]] " " part[2] ";"
        }
        for (key in names) {
            split(key, part, SUBSEP)
            print part[2] " { global:" names[key] " };" >(part[1] ".map")
        }
    }' symbols

stub() { # NAME SONAME FILE
    gcc -shared -nostdlib "-Wl,-soname,$2" "-Wl,--version-script=$1.map" -o "$3" "$1.s"
}
stub pthread libpthread.so.0 libpthread.so
stub dl libdl.so.2 libdl.so
stub rt librt.so.1 librt.so
stub util libutil.so.1 libutil.so
stub m libm.so.6 libm.so
stub gcc_s libgcc_s.so.1 libgcc_s.so
stub c libc.so.6 libc.so.6
# `stat` and related functions were in an archive until glibc 2.33.
gcc -c -O2 -fPIC -fvisibility=hidden -Wall -Wextra -Werror -o stat.o "$here/stat.c"
ar rcsD libstat.a stat.o
# As in the C library's own script: the parts that are always linked statically, and the dynamic linker for `__tls_get_addr`.
nonshared=$(of_gcc libc_nonshared.a) linker=$(of_gcc "$dynamic_linker")
echo "GROUP($folder/libc.so.6 $folder/libstat.a $nonshared AS_NEEDED($linker))" >libc.so
