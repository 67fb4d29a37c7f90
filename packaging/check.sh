#!/bin/sh
# Uses an installation as its user would, on the system that it was built for: check.sh PREFIX [groff] [gdb]. Stops at an error.
set -eu
prefix=$1
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
shift

# A program that is built with the flags of `pkg-config`, alone and under the command.
flags=$(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs ora)
gcc -Wall -Wextra -Werror -O2 -fopenmp -o "$scratch/installed" "$here/installed.c" $flags
cd -- "$scratch"
says() { # EXPECTED COMMAND...
    expected=$1
    shift
    said=$("$@" 2>&1) || { echo "$* fails: $said" >&2; exit 1; }
    case $said in *"$expected"*) ;; *) echo "$* doesn't say \`$expected\`, but: $said" >&2; exit 1 ;; esac
}
says '7 regions, 14 threads in them' ./installed
says ' libora.so.0' objdump -p installed
says 'its OpenMP was seen' "$prefix/bin/ora" doctor --run -o - -- ./installed watched
"$prefix/bin/ora" stat --json -o stat.json -- ./installed watched >/dev/null
says '"regions_total":{"count":7' tr -d ' \n' <stat.json
[ -f "$prefix/share/man/man7/libora.7" ] || { echo 'libora(7) is not installed' >&2; exit 1; }
for example in "$prefix"/share/doc/ora/examples/*.c; do
    case $example in */triangle.c) ;; *) gcc -Wall -Wextra -Werror -fopenmp -fsyntax-only -I"$prefix/include/ora" "$example" ;; esac
done
[ -f "$prefix/share/doc/ora/schemas/stat.json" ] || { echo 'the JSON Schemas are not installed' >&2; exit 1; }

for program; do
    case $program in
        groff)
            # A warning of the formatter is an error.
            for page in "$prefix"/share/man/man*/*; do
                said=$(groff -man -Tutf8 -ww -z "$page" 2>&1)
                [ -z "$said" ] || { echo "groff says of $page: $said" >&2; exit 1; }
            done ;;
        gdb) says 'Waits and their places' gdb -q -batch -nx -ex "source $prefix/share/ora/ora.py" -ex 'help omp waits' ;;
    esac
done
