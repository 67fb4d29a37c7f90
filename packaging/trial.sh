#!/bin/sh
# Installs a package of /packages in a system of its own, uses it as its user would, and removes it: trial.sh wheel|tarball|debian. Stops at
# an error, or if a file is left.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
case $1 in
    wheel)
        python3 -m venv --system-site-packages /venv
        prefix=/venv
        install='/venv/bin/pip install --quiet --no-cache-dir --no-index /packages/*.whl'
        remove='/venv/bin/pip uninstall --quiet --yes ora-openmp' ;;
    tarball)
        tar -C /tmp -xf /packages/ora-*-linux.tar.gz
        prefix=/opt/ora
        install='/tmp/ora-*-linux/install.sh --prefix /opt/ora'
        remove=/opt/ora/share/ora/uninstall.sh ;;
    debian)
        prefix=/usr
        install='dpkg --install /packages/*.deb'
        remove='dpkg --purge ora libora-dev libora0' ;;
esac
ora=$prefix/bin/ora
cd /tmp
files() { # but for those that systems keep for themselves; pip leaves folders that are empty
    find / \( -path /tmp -o -path /proc -o -path /sys -o -path /dev -o -path /packages -o -path /packaging -o -path /var/lib/dpkg \
        -o -path /var/log -o -path /var/cache \) -prune -o ! -type d -print | sort
}
files >before.txt
eval "$install"

# For files that shells and Python keep.
export HOME=/tmp PYTHONDONTWRITEBYTECODE=1

"$ora" --version
"$ora" doctor >doctor.txt || { cat doctor.txt; exit 1; }
"$ora" demo >demo.txt || { cat demo.txt; exit 1; }

# A program with its own collector, linked to the library.
gcc -O2 -fopenmp "$here/installed.c" -o installed -I"$prefix/include/ora" -L"$prefix/lib" -lora -Wl,-rpath,"$prefix/lib"
[ "$(./installed)" = '7 regions, 14 threads in them' ]
"$ora" stat --json -o stat.json -- ./installed watched
tr -d ' \n' <stat.json | grep -q '"regions_total":{"count":7'

# Files with which CMake finds the library, and the Rust crate.
found=$(find "$prefix"/lib -name ora-config.cmake)
[ -n "$found" ]
if [ "$1" != wheel ]; then
    cat "$prefix/share/ora/rust/ompt-tool/Cargo.toml" "$prefix/share/ora/rust/ompt-abi/Cargo.toml" >/dev/null
fi

# A trace, and the report on it.
rm -rf events
"$ora" trace -o events -- ./installed watched >/dev/null
"$ora" report events --json >trace.json
grep -q '"regions' trace.json

# A data race in a program of the guide.
gcc -g -Og -fopenmp -fsanitize=thread "$prefix/share/doc/ora/examples/race.c" -o race
code=0
"$ora" race -o race.txt -- ./race || code=$?
[ $code = 66 ] && grep -q 'reduction(+:sum)' race.txt || { cat race.txt; exit 1; }

# A running process, and what has changed since.
cat >busy.c <<'END'
#include <time.h>
int main(void) {
    for (time_t end = time(0) + 60; time(0) < end;) {
#pragma omp parallel num_threads(2)
        ;
    }
    return 0;
}
END
gcc -fopenmp busy.c -o busy
./busy &
# Waits until the shell's child has become the program.
until grep -q libgomp /proc/$!/maps; do sleep 0.1; done
"$ora" attach $! --seconds 1 --json -o attached.json
kill $!
tr -d ' \n' <attached.json | grep -q '"regions_total":{"count":[1-9]'
"$ora" diff stat.json stat.json | grep -q 'wall time'

# scikit-learn, with the libgomp that it contains.
cat >fit.py <<'END'
from sklearn.ensemble import HistGradientBoostingClassifier
x = [[i % 7, i % 11] for i in range(2000)]
print(HistGradientBoostingClassifier(max_iter=3).fit(x, [sum(row) > 8 for row in x]).n_iter_)
END
sed -i '1i\
try: from sklearn.experimental import enable_hist_gradient_boosting\
except ImportError: pass' fit.py
"$ora" stat --json -o python.json -- python3 fit.py
tr -d ' \n' <python.json | grep -q '"regions_total":{"count":[1-9]'

# Each command has a page.
share=$prefix/share
for command in $("$ora" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    [ "$command" = help ] || ls "$share/man/man1/ora-$command.1"* >/dev/null
done

# Completions can be loaded, and know a command.
bash -c ". '$share/bash-completion/completions/ora'; complete -p ora" >/dev/null
zsh -fc "fpath=('$share/zsh/site-functions' '$share/zsh/vendor-completions' \$fpath); autoload -U compinit; compinit -D
    [ \"\$_comps[ora]\" = _ora ] && autoload +X _ora"
fish -c "source '$share/fish/vendor_completions.d/ora.fish'; complete -C 'ora sta'" | grep -q '^stat'

eval "$remove"
[ ! -e /opt/ora ] || { echo '/opt/ora is left' >&2; exit 1; }
files >after.txt
left=$(comm -13 before.txt after.txt)
[ -z "$left" ] || { printf 'after `%s` these are left:\n%s\n' "$remove" "$left" >&2; exit 1; }
