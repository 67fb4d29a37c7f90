#!/bin/sh
# Removes what install.sh has put beside this file, and folders made for it that are empty then.
set -eu

prefix=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
manifest=$prefix/share/ora/manifest
[ -f "$manifest" ] || { echo "$manifest is missing: nothing is removed" >&2; exit 1; }
if grep -qE '^/|(^|/)\.\.(/|$)' "$manifest"; then
    echo "$manifest is damaged: it names files outside of $prefix. Nothing is removed" >&2
    exit 1
fi
lines=$(sort -r "$manifest")
printf '%s\n' "$lines" | grep -v '/$' | while IFS= read -r file; do rm -f -- "$prefix/$file"; done
cd /
printf '%s\n' "$lines" | grep '/$' | while IFS= read -r folder; do
    # `rmdir` refuses a path that ends with a dot.
    rmdir -- "$prefix/${folder#./}" 2>/dev/null || :
done
echo "removed ora from $prefix"
