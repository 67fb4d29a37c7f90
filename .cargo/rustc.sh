#!/bin/sh
# Compiles a crate of this workspace: cargo's `build.rustc-workspace-wrapper`, called with the compiler and its arguments.
#
# Intel's processors from Skylake to Cascade Lake slow down at branches that touch a 32-byte boundary (Intel's "Jump Conditional Code
# Erratum" paper). A query is little more than branches: without this flag it takes 1.7 times as long there. It is here since cargo replaces
# the flags of its configuration by those of RUSTFLAGS, which distributions set.
rustc=$1
shift
case " $* " in
    *' --target x86_64-'*) processor=x86_64 ;;
    *' --target '*) processor=other ;;
    *) processor=$(uname -m) ;;
esac
[ "$processor" != x86_64 ] || set -- "$@" -C llvm-args=-x86-branches-within-32B-boundaries
exec "$rustc" "$@"
