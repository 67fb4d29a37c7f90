#!/bin/sh
# Fetches other releases of OpenMP runtimes, and third-party tools, for the long tests: runtimes.sh RUNTIMES TOOLS. Debian's packages of
# them can't be installed side by side, so they are only unpacked: each runtime to RUNTIMES/NAME.so, each tool to TOOLS/NAME. If one isn't
# available, a line on stdout names it, and the others are fetched.
set -u
runtimes=$1 tools=$2
mkdir -p -- "$runtimes" "$tools"

debian() { # PACKAGE: unpacks it in this folder
    apt-get download --quiet "$1" && dpkg -x "$1"_*.deb .
}
python() { # PACKAGE==VERSION
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest . "$1" && python3 -m zipfile -e ./*.whl .
}
runtime() { # NAME FILE COMMAND...
    name=$1 file=$2
    shift 2
    [ ! -f "$runtimes/$name.so" ] || return 0
    echo "fetching $name" >&2
    mkdir -p -- "$runtimes/$name"
    (cd -- "$runtimes/$name" && "$@" >&2 && cp -- "$file" "../$name.so") || echo "$name"
}
tool() { # NAME FILE COMMAND...
    name=$1 file=$2
    shift 2
    [ ! -f "$tools/$name/$file" ] || return 0
    echo "fetching $name" >&2
    mkdir -p -- "$tools/$name"
    (cd -- "$tools/$name" && "$@" >&2 && [ -f "$file" ]) || echo "$name"
}

runtime libomp-14 usr/lib/llvm-14/lib/libomp.so.5 debian libomp5-14
runtime libomp-16 usr/lib/llvm-16/lib/libomp.so.5 debian libomp5-16
runtime libiomp5 intel_openmp-2026.2.0.data/data/lib/libiomp5.so python intel-openmp==2026.2.0
# Its package requires an LLVM runtime that conflicts with the newer one; its library runs with either.
tool eztrace usr/lib/x86_64-linux-gnu/libeztrace-ompt.so debian libeztrace0
