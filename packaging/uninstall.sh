#!/bin/sh
# Removes the files that install.sh has put into the named folder, or into the one two levels above this file; prints each path. Folders
# that were created for the installation are removed if they are empty.
set -eu
export LC_ALL=C

prefix=$(CDPATH='' cd -- "${1:-$(dirname -- "$0")/../..}" && pwd)
manifest=$prefix/share/ora/manifest
[ -f "$manifest" ] || { echo "$prefix has no installation of ora: share/ora/manifest is missing there" >&2; exit 1; }
if grep -qE '^/|(^|/)\.\.(/|$)' "$manifest" || ! grep -qx share/ora/manifest "$manifest"; then
    echo "$manifest is damaged: it names files outside of $prefix, or not itself. Nothing is removed" >&2
    exit 1
fi
lines=$(sort -r "$manifest")
# The manifest is removed after all other files, so that the script can be run again after a failure.
{ printf '%s\n' "$lines" | grep -v '/$' | grep -vx share/ora/manifest || :; echo share/ora/manifest; } |
    while IFS= read -r file; do
        if [ -e "$prefix/$file" ] || [ -h "$prefix/$file" ]; then
            rm -f -- "$prefix/$file"
            echo "removed $prefix/$file"
        fi
    done
cd /
printf '%s\n' "$lines" | grep '/$' | while IFS= read -r folder; do
    # `rmdir` refuses a path that ends with a dot.
    folder=$prefix/${folder#./}
    if rmdir -- "$folder" 2>/dev/null; then echo "removed ${folder%/}"; fi
done
