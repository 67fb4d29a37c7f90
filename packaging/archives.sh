#!/bin/sh
# Packs the archives of a release in a folder: archives.sh FOLDER. They are the tarball with install.sh; debug information (line tables), in
# the folders in which debuggers search below /usr/lib/debug (gdb, "Separate Debug Files"); and the last commit's sources. Also set:
# ORA_PROCESSOR, SOURCE_DATE_EPOCH. Order, owners and times don't depend on this machine.
set -eu
folder=$1
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

compress() { # ARCHIVE: without its name and time
    gzip -9 -n --force -- "$1"
}
pack() { # NAME, a folder of $work
    archive=$folder/$1.tar
    tar --create --sort=name --owner=0 --group=0 --numeric-owner --format=gnu --mode=u=rwX,go=rX "--mtime=@$SOURCE_DATE_EPOCH" \
        --file "$archive" -C "$work" "$1"
    compress "$archive"
}

name=ora-$ORA_VERSION-$ORA_PROCESSOR-linux
sh "$here/stage.sh" package / "$work/$name"
install -D -m 755 "$here/install.sh" "$work/$name/install.sh"
install -D -m 755 "$here/uninstall.sh" "$work/$name/share/ora/uninstall.sh"
pack "$name"

name=ora-$ORA_VERSION-$ORA_PROCESSOR-debug
for file in ora libora.so $(cat "$here/preloaded.txt"); do
    id=$(readelf --notes "$ORA_BUILT/$file" | sed -n 's/^ *Build ID: //p')
    rest=${id#??}
    [ -n "$rest" ] || { echo "$file has no build ID" >&2; exit 1; }
    place=$work/$name/.build-id/${id%"$rest"}
    mkdir -p -- "$place"
    objcopy -D --only-keep-debug "$ORA_BUILT/$file" "$place/$rest.debug"
    chmod 644 "$place/$rest.debug"
done
pack "$name"

name=ora-$ORA_VERSION
git -C "$here/.." archive --format=tar "--prefix=$name/" --output "$folder/$name.tar" HEAD
compress "$folder/$name.tar"
