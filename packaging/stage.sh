#!/bin/sh
# Puts the command, the libraries and their files where a system looks for them: stage.sh KIND PREFIX ROOT [LIB]
# KIND: `build`, a build for this system; `package`, the portable build; `wheel`, that without libora.a, links, Rust crates, and documents but
# for the examples. PREFIX is the folder in which the files will be used, and LIB its folder of libraries, `lib` by default. The files are
# written to ROOT/PREFIX: bin/ora; LIB with libora.so.0, its link libora.so, libora.a, pkgconfig/ora.pc and cmake/ora; LIB/ora with the
# libraries that the command preloads, and LIB/ora/preload with their stand-ins; include/ora; share with man pages, completions,
# ora/ora.py and doc/ora.
# `cargo xtask` sets these variables for all scripts here: ORA_VERSION, ORA_BUILT (what cargo has built), ORA_DOCUMENTS (share/doc/ora),
# ORA_CRATES (cargo's packages of the published crates).
set -eu
umask 022
export LC_ALL=C
kind=$1 prefix=${2%/} root=${3%/} lib=${4-lib}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
to=$root$prefix
# Name in the dependencies of programs that are linked to an installed libora.so (ora/build.rs).
soname=$(readelf --dynamic --wide "$ORA_BUILT/libora.so" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')

# Functions of a build keep their names; line tables make up most of its size, and are of no use to others. Packages are stripped like
# Debian's.
case $kind in
    build) strip=--strip-debug ;;
    package | wheel) strip='--strip-unneeded --remove-section=.comment --remove-section=.note' ;;
    *) echo "stage.sh: no kind of installation: $kind" >&2; exit 2 ;;
esac

put() { # FROM NAME
    install -D -m 644 -- "$1" "$to/$2"
}
put_all() { # FOLDER NAME
    find "$1" -type f -printf '%P\n' | sort | while IFS= read -r file; do put "$1/$file" "$2/$file"; done
}
put_stripped() { # FROM NAME MODE OPTION...
    from=$ORA_BUILT/$1 file=$to/$2 mode=$3
    shift 3
    mkdir -p -- "${file%/*}"
    rm -f -- "$file"
    # `D`: an archive contains no times and owners of this machine.
    strip -D "$@" -o "$file" -- "$from"
    chmod "$mode" "$file"
}
put_template() { # NAME FOLDER
    mkdir -p -- "$to/$2"
    rm -f -- "$to/$2/$1"
    # A package that its user unpacks anywhere has no prefix. Default folders of the dynamic linker need no rpath.
    if [ "$prefix" = /usr ]; then rpath=; else rpath=' -Wl,-rpath,${libdir}'; fi
    up=$(printf %s "$lib" | sed 's|[^/][^/]*|..|g')
    sed -e "s|@LIB@|$lib|" -e "s|@UP@|$up|" -e "s|@VERSION@|$ORA_VERSION|" -e "s|@PREFIX@|${prefix:-"\${pcfiledir}/../$up"}|" -e "s|@RPATH@|$rpath|" \
        "$here/templates/$1" >"$to/$2/$1"
}

# Without quotes, as there are several options.
put_stripped ora bin/ora 755 $strip
while IFS= read -r library; do put_stripped "$library" "$lib/ora/$library" 644 $strip; done <"$here/preloaded.txt"
if [ "$kind" = wheel ]; then
    # A zip archive contains no links: another name would be another copy.
    put_stripped libora.so "$lib/libora.so" 644 $strip
    patchelf --set-soname libora.so "$to/$lib/libora.so"
else
    put_stripped libora.so "$lib/$soname" 644 $strip
    ln -sfn "$soname" "$to/$lib/libora.so"
    # The linker needs the names of the library's functions.
    put_stripped libora.a "$lib/libora.a" 644 --strip-debug
fi

for header in omp_collector_api.h ompt_tr2.h omp-tools.h omp_control_tool.h ora_embed.h opari2/pomp2_lib.h opari2/pomp2_user_lib.h; do
    put "$here/../headers/$header" "include/ora/$header"
done
put "$here/../tools/gdb/ora.py" share/ora/ora.py
# The crate for tools in Rust, and the crate that it needs in the same folder, so that neither has to come from a registry.
crates=$(mktemp -d)
trap 'rm -rf -- "$crates"' EXIT
if [ "$kind" = wheel ]; then published=; else published='ompt-abi ompt-tool'; fi
for crate in $published; do
    tar -C "$crates" -xf "$ORA_CRATES/$crate-$ORA_VERSION.crate"
    rm -f -- "$crates/$crate-$ORA_VERSION/.cargo_vcs_info.json" "$crates/$crate-$ORA_VERSION/Cargo.toml.orig"
    sed -i '/^\[dependencies.ompt-abi\]$/a path = "../ompt-abi"' "$crates/$crate-$ORA_VERSION/Cargo.toml"
    put_all "$crates/$crate-$ORA_VERSION" "share/ora/rust/$crate"
done
put_template ora.pc "$lib/pkgconfig"
put_template ora-config.cmake "$lib/cmake/ora"
put_template ora-config-version.cmake "$lib/cmake/ora"
if [ "$kind" = wheel ]; then put_all "$ORA_DOCUMENTS/examples" share/doc/ora/examples; else put_all "$ORA_DOCUMENTS" share/doc/ora; fi
# The command that was built here writes these, as an installed one may be for another root.
pages=$(mktemp -d)
trap 'rm -rf -- "$crates" "$pages"' EXIT
"$ORA_BUILT/ora" pages "$pages"
put_all "$pages" share
mkdir -p -- "$to/$lib/ora/preload"
"$ORA_BUILT/ora" stand-ins "$to/$lib"
