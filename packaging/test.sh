#!/bin/sh
# Tests install.sh and uninstall.sh. Stops at a claim that does not hold.
set -u
unset LD_LIBRARY_PATH PKG_CONFIG_PATH XDG_DATA_HOME
export XDG_DATA_DIRS=/usr/share SHELL=sh
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT

# Creates an installation with these files in `of`; `prefix` does not exist.
with() { # FILE...
    rm -rf -- "$scratch/of" "$scratch/prefix"
    mkdir -p -- "$scratch/of/bin" "$scratch/of/lib" "$scratch/of/include" "$scratch/of/share/ora"
    for file; do mkdir -p -- "$scratch/of/${file%/*}" && : >"$scratch/of/$file"; done
    install -m 755 -- "$here/install.sh" "$scratch/of/install.sh"
    install -m 755 -- "$here/uninstall.sh" "$scratch/of/share/ora/uninstall.sh"
}
install_to() { # PREFIX
    said=$("$scratch/of/install.sh" --prefix "$1" 2>&1)
}
uninstall() { # PREFIX
    said=$("$here/uninstall.sh" "$1" 2>&1)
}
must() { # CLAIM COMMAND...
    claim=$1
    shift
    "$@" || { echo "$claim: \`$*\` fails: $said" >&2; exit 1; }
}
fails() { ! "$@"; }
says() { case $said in *"$1"*) ;; *) return 1 ;; esac; }
prefix=$scratch/prefix manifest=share/ora/manifest

claim='an installation goes without a trace, and a later one takes what is gone'
with bin/ora share/man/man1/ora.1 share/old/file
chmod 700 "$scratch/of/bin/ora"
must "$claim" install_to "$prefix"
must "$claim" [ "$(stat -c %a "$prefix/bin/ora")" = 755 ]
rm -r -- "$scratch/of/share/old"
must "$claim" install_to "$prefix"
must "$claim" [ ! -e "$prefix/share/old/file" ]
must "$claim" uninstall "$prefix"
must "$claim" says "removed $prefix/bin/ora"
must "$claim" [ ! -e "$prefix" ]
must "$claim" fails uninstall "$scratch/of"
must "$claim" says 'has no installation of ora'

claim='files and folders of others stay'
with bin/ora share/man/man1/ora.1
mkdir -p -- "$prefix/bin"
must "$claim" install_to "$prefix"
: >"$prefix/share/man/man1/other.1"
must "$claim" uninstall "$prefix"
must "$claim" [ -d "$prefix/bin" ]
must "$claim" [ -f "$prefix/share/man/man1/other.1" ]
must "$claim" [ ! -e "$prefix/share/ora" ]
must "$claim" [ ! -e "$prefix/share/man/man1/ora.1" ]

claim='a manifest that names files elsewhere removes nothing'
with bin/ora
must "$claim" install_to "$prefix"
for line in ../outside /etc/passwd bin/../../outside bin/../; do
    printf '%s\n' "$manifest" bin/ora "$line" >"$prefix/$manifest"
    must "$claim" fails uninstall "$prefix"
    must "$claim" says damaged
    must "$claim" fails install_to "$prefix"
    must "$claim" says damaged
    must "$claim" [ -f "$prefix/bin/ora" ]
done

claim='settings that are missing are named in the words of the shell'
with bin/ora
SHELL=/bin/bash
must "$claim" install_to "$scratch/my \$tools"
must "$claim" says 'my \$tools/bin${PATH:+:$PATH}"   # the command `ora`'
must "$claim" says 'my \$tools/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"   # only for'
must "$claim" says '/share:${XDG_DATA_DIRS:-/usr/local/share:/usr/share}"   # completions of bash'
SHELL=/usr/bin/fish
must "$claim" install_to "$prefix"
must "$claim" says 'set -gx --prepend PATH "'
must "$claim" says ':/usr/share"   # completions of'
SHELL=/bin/zsh
must "$claim" install_to "$prefix"
must "$claim" says 'fpath=("'
must "$claim" fails says XDG_DATA_DIRS
echo 'install.sh and uninstall.sh do what they claim'
