#!/bin/sh
# Builds the Debian packages with debhelper: debian.sh FOLDER. Also set: ORA_PROCESSOR, SOURCE_DATE_EPOCH.
set -eu
folder=$1
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
maintainer="${DEBFULLNAME:-the ora developers} <${DEBEMAIL:-ora@packages.invalid}>"
case $ORA_PROCESSOR in
    x86_64) architecture=amd64 ;;
    aarch64) architecture=arm64 ;;
esac

rm -rf -- "$folder"
mkdir -p -- "$folder/source"
cp -r -- "$here/debian" "$folder/source/debian"
cd -- "$folder/source"
sh "$here/stage.sh" package /usr staged "lib/$ORA_PROCESSOR-linux-gnu"
sed -i "s/@MAINTAINER@/$maintainer/" debian/control
cat >debian/changelog <<END_OF_CHANGELOG
ora ($ORA_VERSION) unstable; urgency=medium

  * See CHANGELOG.md.

 -- $maintainer  $(LC_ALL=C date --utc -R -d "@$SOURCE_DATE_EPOCH")
END_OF_CHANGELOG
# The library's symbols, each with the version of the package that introduced it (deb-symbols(5)).
{ echo 'libora.so.0 libora0 #MINVER#'; sed 's/.*/ &@Base 0.1.0/' "$here/../ora/exports.txt"; } >debian/libora0.symbols
# dpkg doesn't know what cargo needs, and there is nothing to clean.
dpkg-buildpackage --build=binary --no-sign --no-check-builddeps --no-pre-clean "--host-arch=$architecture" >&2
