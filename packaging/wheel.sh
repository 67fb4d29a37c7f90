#!/bin/sh
# Packs the wheel for Python's pip: wheel.sh FOLDER. Python needs the tools of requirements.txt. Also set: ORA_PROCESSOR, SOURCE_DATE_EPOCH.
set -eu
folder=$1
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# Maximum size of the installed wheel, in bytes.
bound=12000000

tree=$folder/root name=ora_openmp-$ORA_VERSION
data=$tree/$name.data about=$tree/$name.dist-info
rm -rf -- "$tree" "$folder"/*.whl
sh "$here/stage.sh" wheel / "$data/data"
mv -- "$data/data/bin" "$data/scripts"
mkdir -p -- "$about/licenses"
cp -- "$here/../LICENSE-MIT" "$here/../LICENSE-APACHE" "$about/licenses"
sed "s/@VERSION@/$ORA_VERSION/" "$here/templates/METADATA" | cat - "$here/../README.md" >"$about/METADATA"
# Any Python, and the newer and the older name of "any Linux with glibc 2.17".
sed "s/@PROCESSOR@/$ORA_PROCESSOR/" "$here/templates/WHEEL" >"$about/WHEEL"

size=$(find "$tree" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
[ "$size" -le "$bound" ] || { echo "installed, the wheel takes $size bytes: more than $bound" >&2; exit 1; }
python3 -m wheel pack --dest-dir "$folder" "$tree" >&2
# The wheel's files run on the older platforms of its name.
said=$(python3 -m auditwheel show "$folder"/*.whl)
printf '%s\n' "$said" | tr -s ' ' '\n' | grep -qxF "\"manylinux_2_17_$ORA_PROCESSOR\"." || {
    echo "auditwheel doesn't find manylinux_2_17: $said" >&2
    exit 1
}
echo "the wheel takes $size bytes when it is installed"
