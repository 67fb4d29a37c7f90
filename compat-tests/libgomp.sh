#!/bin/sh
# Builds a release's libgomp with this system's gcc: libgomp.sh SOURCES LIBRARY. SOURCES is a folder with the archive of gcc's sources, as
# in Debian's package gcc-15-source.
set -eu
work=$2.build
rm -rf -- "$work"
mkdir -p -- "$work/source" "$work/products"
# Only the files that the build reads.
tar --directory "$work/source" --file "$1"/*.xz --extract --strip-components=1 --wildcards --no-wildcards-match-slash \
    'gcc-*/libgomp' 'gcc-*/include' 'gcc-*/config' 'gcc-*/gcc/BASE-VER' 'gcc-*/*.*' 'gcc-*/install-sh' 'gcc-*/libtool-ldflags' \
    'gcc-*/move-if-change' 'gcc-*/mkinstalldirs' 'gcc-*/missing' 'gcc-*/depcomp' 'gcc-*/compile'
cd -- "$work/products"
../source/libgomp/configure --quiet --disable-multilib --disable-werror
make --silent --jobs=2 LIBTOOLFLAGS=--silent
cp -- .libs/libgomp.so.1 "$2"
rm -rf -- "$work"
