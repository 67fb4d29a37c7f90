#!/bin/sh
# Installs ora from this folder: ./install.sh [--prefix DIR]
# Without a folder: /usr/local for root, ~/.local for others. DIR/share/ora/uninstall.sh removes all of it.
set -eu

if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=$HOME/.local; fi
case ${1-} in
    --prefix=*) prefix=${1#--prefix=} ;;
    --prefix) prefix=${2:?--prefix needs a folder} ;;
    '') ;;
    *) echo "usage: ./install.sh [--prefix DIR]" >&2; exit 2 ;;
esac
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
if [ -x "$prefix/share/ora/uninstall.sh" ]; then "$prefix/share/ora/uninstall.sh" >/dev/null; fi
made=
[ -d "$prefix" ] || made=./
mkdir -p -- "$prefix"
prefix=$(CDPATH='' cd -- "$prefix" && pwd)

# A line of the manifest is a path below the prefix; that of a folder made here ends with a slash.
cd -- "$here"
new=$(mktemp)
trap 'rm -f -- "$new"' EXIT
if [ -n "$made" ]; then echo "$made" >>"$new"; fi
find bin lib include share -type d | sort | while IFS= read -r folder; do
    [ -d "$prefix/$folder" ] || { mkdir -- "$prefix/$folder"; echo "$folder/" >>"$new"; }
done
find bin lib include share ! -type d | sort | while IFS= read -r file; do
    # A process that has the old file mapped keeps that.
    cp -P -- "$file" "$prefix/$file.new"
    mv -f -- "$prefix/$file.new" "$prefix/$file"
    echo "$file" >>"$new"
done
echo share/ora/manifest >>"$new"
cp -- "$new" "$prefix/share/ora/manifest"
chmod 644 "$prefix/share/ora/manifest"

echo "installed ora in $prefix; $prefix/share/ora/uninstall.sh removes it"
case :$PATH: in
    *:"$prefix/bin":*) ;;
    *) echo "Not set yet, for example in ~/.profile: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
