#!/bin/sh
# Installs ora from this folder: ./install.sh [--prefix DIR]
# Default folder: /usr/local for root, ~/.local for others. DIR/share/ora/uninstall.sh removes everything again.
set -eu
export LC_ALL=C

if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=$HOME/.local; fi
case ${1-} in
    --prefix=*) prefix=${1#--prefix=} ;;
    --prefix) prefix=${2:?--prefix needs a folder} ;;
    '') ;;
    *) echo "usage: ./install.sh [--prefix DIR]" >&2; exit 2 ;;
esac
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
made=
[ -d "$prefix" ] || made=./
mkdir -p -- "$prefix"
prefix=$(CDPATH='' cd -- "$prefix" && pwd)

# A line of the manifest is a path below the prefix; the path of a folder created here ends with a slash.
manifest=$prefix/share/ora/manifest
new=$(mktemp)
before=$(mktemp)
if [ -f "$manifest" ]; then
    if grep -qE '^/|(^|/)\.\.(/|$)' "$manifest"; then
        echo "$manifest is damaged: it names files outside of $prefix. Nothing is installed" >&2
        exit 1
    fi
    cp -- "$manifest" "$before"
fi
# If the script stops, the manifest lists everything of both installations; at its end, only what this one installed.
finish() {
    if [ -d "$prefix/share/ora" ]; then
        sort -u "$new" "$before" >"$manifest"
        chmod 644 "$manifest"
    fi
    rm -f -- "$new" "$before"
}
trap finish EXIT
cd -- "$here"
if [ -n "$made" ]; then echo "$made" >>"$new"; fi
find bin lib include share -type d | sort | while IFS= read -r folder; do
    [ -d "$prefix/$folder" ] || { mkdir -- "$prefix/$folder"; echo "$folder/" >>"$new"; }
done
echo share/ora/manifest >>"$new"
find bin lib include share ! -type d | sort | while IFS= read -r file; do
    # A process that has mapped the old file keeps it.
    cp -P -- "$file" "$prefix/$file.new"
    if [ ! -h "$file" ]; then if [ -x "$file" ]; then mode=755; else mode=644; fi; chmod "$mode" "$prefix/$file.new"; fi
    mv -f -- "$prefix/$file.new" "$prefix/$file"
    echo "$file" >>"$new"
done
grep -v '/$' "$before" | grep -vxFf "$new" | while IFS= read -r file; do rm -f -- "$prefix/$file"; done
grep '/$' "$before" >"$before.folders" || :
mv -f -- "$before.folders" "$before"

echo "installed ora in $prefix; $prefix/share/ora/uninstall.sh removes it"

# Prints settings that are missing here, as lines for a shell.
shell=${SHELL-}
shell=${shell##*/}
quoted=$(printf %s "$prefix" | sed 's/[\\"$`]/\\&/g')
lacks() { case :$1: in *:"$prefix/$2":* | *:"$prefix/$2/":*) return 1 ;; esac; }
prepend() { # VARIABLE FOLDER MEANING
    if [ "$shell" = fish ]; then
        echo "set -gx --prepend $1 \"$quoted/$2\"   # $3"
    else
        # An empty part of LD_LIBRARY_PATH would be the current folder.
        echo "export $1=\"$quoted/$2\${$1:+:\$$1}\"   # $3"
    fi
}
settings() {
    if lacks "$PATH" bin; then prepend PATH bin 'the command `ora`'; fi
    if pc=$(pkg-config --variable pc_path pkg-config 2>/dev/null) && lacks "${PKG_CONFIG_PATH-}:$pc" lib/pkgconfig; then
        prepend PKG_CONFIG_PATH lib/pkgconfig '`pkg-config --cflags --libs ora`'
    fi
    cache=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -NXv 2>/dev/null | sed -n 's/^\(\/[^:]*\):.*/\1/p' | tr '\n' :) || :
    if lacks "${LD_LIBRARY_PATH-}:/lib:/usr/lib:/lib64:/usr/lib64:$cache" lib; then
        prepend LD_LIBRARY_PATH lib "only for programs linked with -lora and without -Wl,-rpath,$quoted/lib (\`pkg-config\` sets that)"
    fi
    # `man` derives some folders from PATH. The empty part stands for the system's.
    if pages=$(PATH=$prefix/bin:$PATH manpath -q 2>/dev/null) && lacks "$pages" share/man; then
        case $shell in
            fish) echo "set -gx MANPATH \"$quoted/share/man\" \$MANPATH \"\"   # man pages" ;;
            *) echo "export MANPATH=\"$quoted/share/man:\$MANPATH\"   # man pages" ;;
        esac
    fi
    data=${XDG_DATA_DIRS:-/usr/local/share:/usr/share}
    case $shell in
        bash | fish)
            if lacks "${XDG_DATA_HOME:-$HOME/.local/share}:$data" share; then
                case $shell in
                    fish) echo "set -gx XDG_DATA_DIRS \"$quoted/share:$data\"   # completions of fish" ;;
                    *) echo "export XDG_DATA_DIRS=\"$quoted/share:\${XDG_DATA_DIRS:-/usr/local/share:/usr/share}\"   # completions of bash" ;;
                esac
            fi ;;
        zsh)
            case $prefix in
                /usr | /usr/local) ;;
                *) echo "fpath=(\"$quoted/share/zsh/site-functions\" \$fpath)   # completions: in ~/.zshrc, before compinit" ;;
            esac ;;
    esac
}
missing=$(settings)
if [ -n "$missing" ]; then
    echo 'Not set yet, for example in ~/.profile:'
    printf '%s\n' "$missing" | sed 's/^/  /'
fi
