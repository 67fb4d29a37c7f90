#!/bin/bash
# Runs third-party suites, which are in the given folders, and prints a table for each: suites.sh FOLDER... Fetches nothing.
#
#   with ompt/callback.h          LLVM's tests of OMPT (openmp/runtime/test): programs with a tool in them, whose output FileCheck compares
#   with utils/ompt-initialize.h  the suite of OMPT's Technical Report 2 (regression)
#   any other                     programs (OpenMP_VV, OpenMP's Examples, libgomp's testsuite): exit status and output as without the library;
#                                 static loops in gcc's code against clang's (static_loops.py)
#
# SUITES_EVERY=N takes each Nth program of the last kind. ORA_LIB names another libora.so. Failures are listed on stderr.
set -u
root=$(cd -- "$(dirname -- "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}/release
ora=$target/ora libora=${ORA_LIB:-$target/libora.so} llvm=/usr/lib/llvm-${LLVM:-19}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
export OMP_WAIT_POLICY=passive

first_of() { for name in "$@"; do command -v "$name" && return; done; return 1; }

# One of LLVM's tests, run by its RUN lines: `llvm_test SOURCE FOLDER CC CXX FLAGS RUN`.
llvm_test() {
    local source=$1 flags="$5 -I$2 -I$2/ompt" file=$work/test script tool
    mkdir -p "$file.d"
    tool=$(grep -o -m 1 '%[tT][a-z._]*/tool\.so' "$source")
    script=$(sed -n 's@^.*RUN: *@@p' "$source" | sed -e ':a' -e '/\\$/N; s/\\\n//; ta' |
        sed -e "s@%preload-tool@env LD_PRELOAD=$tool@g" -e 's/%libomp-\(cxx-\|c99-\)\?compile-and-run/%libomp-\1compile \&\& %libomp-run/g' \
            -e "s@%libomp-cxx-compile@$4 -fopenmp $flags -std=c++17 $source -o $file -lm@g" \
            -e "s@%libomp-c99-compile@$3 -fopenmp $flags -std=c99 $source -o $file -lm@g" \
            -e "s@%libomp-compile@$3 -fopenmp $flags $source -o $file -lm@g" \
            -e "s@%libomp-run@$6 $file@g" -e "s@%clang\b@$3@g" -e "s@%flags@$flags@g" -e 's@%sort-threads@sort -n -s@g' \
            -e 's@%no-as-needed-flag@-Wl,--no-as-needed@g' -e "s@FileCheck@$filecheck@g" \
            -e "s@%s\b@$source@g" -e "s@%S\b@$(dirname "$source")@g" -e "s@%T\b@$file.d@g" -e "s@%t\b@$file@g")
    [ -n "$script" ] || return 1
    timeout -k 1 60 bash -o pipefail -e -c "$script" >"$work/log" 2>&1
}

llvm_suite() {
    local folder=$1 all=0 column source passed
    filecheck=$(first_of FileCheck "FileCheck-${LLVM:-19}" "$llvm/bin/FileCheck") || { echo "FileCheck is missing" >&2; return; }
    # gcc makes no call where a function starts, so the tool starts later; refusals that these tests do not expect are left out.
    cat >"$work/first" <<'RUN'
#!/bin/bash
$LAUNCH "$@" >"$0.out"; status=$?
grep '^0: NULL_POINTER' "$0.out" | head -n 1
grep -v -e '^0: NULL_POINTER' -e "Could not register callback 'ompt_callback_\(flush\|masked\|error\|reduction\)'" "$0.out"
exit $status
RUN
    chmod +x "$work/first"
    local launch="$ora run --"
    [ -z "${ORA_LIB:-}" ] || launch="env LD_PRELOAD=$ORA_LIB"
    local clang="clang-${LLVM:-19}" libomp=$llvm/lib/libomp.so.5 rpath="-L$llvm/lib -Wl,-rpath,$llvm/lib"
    # Declarations that gcc's headers lack. libgomp has no omp_control_tool.
    cat >"$work/first.h" <<'HEADER'
#include <stdlib.h>
#include <omp-tools.h>
#ifdef __cplusplus
extern "C"
#endif
int omp_control_tool(int, int, void *) __attribute__((weak));
HEADER
    # By the lines, 'ora run' finds the static loops of gcc's code.
    local gcc="-g -rdynamic -w -I$root/headers -include $work/first.h"
    declare -A compilers=([clang]="$clang clang++-${LLVM:-19}" [clang-ora]="$clang clang++-${LLVM:-19}" [gcc]="gcc g++" [gcc-ora]="gcc g++")
    declare -A flags=([clang]="$rpath" [clang-ora]="$rpath" [gcc]="$gcc" [gcc-ora]="$gcc")
    declare -A runs=([clang]=env [clang-ora]="env LD_PRELOAD=$libora" [gcc]="env LAUNCH='env LD_PRELOAD=$libomp' $work/first"
        [gcc-ora]="env LAUNCH='$launch' $work/first")
    declare -A names=([clang]="clang on libomp, alone" [clang-ora]="clang on libomp, after \`libora.so\`"
        [gcc]="gcc on libomp, alone" [gcc-ora]="gcc on libgomp, through \`libora.so\`")
    printf '\n| LLVM%ss tests of OMPT | passed |\n|---|---|\n' "'"
    for column in clang clang-ora gcc gcc-ora; do
        passed=0 all=0
        set -- ${compilers[$column]}
        for source in $(grep -rl 'RUN:' "$folder/ompt" | sort); do
            all=$((all + 1))
            if llvm_test "$source" "$folder" "$1" "$2" "${flags[$column]}" "${runs[$column]}"; then
                passed=$((passed + 1))
            else
                echo "$column: ${source#"$folder/"}" >&2
            fi
        done
        echo "| ${names[$column]} | $passed of $all |"
    done
}

tr2_suite() {
    local all=0 passed=0 source utils='utils/ompt-initialize.cpp utils/ompt-regression.c utils/ompt-openmp.c utils/regex-match.cpp'
    local functions='enumerate_state set_callback get_callback get_idle_frame get_task_frame get_state get_parallel_id
        get_parallel_team_size get_task_id get_thread_id'
    # Declarations that the suite expects of ompt.h in addition to the report's.
    {
        echo '#include <ompt_tr2.h>'
        echo '#define ompt_set_result_event_may_occur_callback_always ompt_tr2_set_always'
        echo "#define FOREACH_OMPT_INQUIRY_FN(macro) $(printf 'macro(ompt_%s) ' $functions)"
        echo "#define FOREACH_OMPT_STATE(macro) $(sed -n 's/^ *\(ompt_state_[a-z_]*\) = .*/macro(\1, \1)/p' \
            "$root/headers/ompt_tr2.h" | tr '\n' ' ')"
    } >"$work/ompt.h"
    for source in $(cd "$1" && find mandatory optional -name 'test*.c*' | sort); do
        all=$((all + 1))
        if (cd "$1" && g++ -fpermissive -w -g -fopenmp -rdynamic -I"$work" -I"$root/headers" -Iutils "$source" $utils utils/states.cpp \
            utils/timer.cpp -o "$work/program" && cd "$work" && LD_PRELOAD=$libora timeout -k 1 60 ./program) >"$work/log" 2>&1; then
            passed=$((passed + 1))
        else
            echo "TR2: $source" >&2
        fi
    done
    printf '\n| the suite of TR2 | passed |\n|---|---|\n| gcc on libgomp, through `libora.so` | %d of %d |\n' $passed $all
}

# Exit status and output of a command, in $work/NAME.
run() {
    local name=$1
    shift
    (cd "$work/run" && timeout -k 1 60 "$@" >"$work/$name" 2>/dev/null </dev/null; echo "status $?" >>"$work/$name")
}

compile() {
    local flags="-O1 -g -w -fopenmp -I$2/ompvv -I$(dirname "$1")"
    case $1 in
        *.c) gcc $flags "$1" -o "$work/program" -lm ;;
        *.cpp | *.cc | *.C) g++ $flags "$1" -o "$work/program" -lm ;;
        *) gfortran $flags -cpp -J"$work" "$1" -o "$work/program" ;;
    esac >/dev/null 2>&1
}

program_suite() {
    local folder=$1 source mode ran=0 number=0 steady
    declare -A same=([preloaded]=0 [stat]=0 [trace]=0 [profile]=0 [validate]=0)
    for source in $(find "$folder" -name '*.c' -o -name '*.cpp' -o -name '*.cc' -o -name '*.C' -o -name '*.[fF]90' | sort); do
        number=$((number + 1))
        [ $((number % ${SUITES_EVERY:-1})) = 0 ] && compile "$source" "$folder" || continue
        rm -rf "$work/run" && mkdir "$work/run"
        run bare "$work/program"
        grep -q -e '^status 124' -e '^status 137' "$work/bare" && continue
        run again "$work/program"
        cmp -s "$work/bare" "$work/again" && steady=yes || steady=no
        ran=$((ran + 1))
        run preloaded env LD_PRELOAD="$libora" "$work/program"
        run stat "$ora" stat -o /dev/null -- "$work/program"
        run trace "$ora" trace -o "$work/run/t" -- "$work/program"
        run profile "$ora" profile -o "$work/run/p" -- "$work/program"
        run validate "$ora" validate -o /dev/null -- "$work/program"
        for mode in "${!same[@]}"; do
            # If two bare runs differ, only the exit status is compared.
            if cmp -s "$work/bare" "$work/$mode" ||
                { [ $steady = no ] && [ "$(tail -n 1 "$work/bare")" = "$(tail -n 1 "$work/$mode")" ]; }; then
                same[$mode]=$((same[$mode] + 1))
            else
                echo "$mode: ${source#"$folder/"}: $(tail -n 1 "$work/bare"), $(tail -n 1 "$work/$mode")" >&2
            fi
        done
    done
    printf '\n| programs of %s: %d | as without the library |\n|---|---|\n' "$(basename "$folder")" $ran
    for mode in preloaded stat trace profile validate; do echo "| $mode | ${same[$mode]} |"; done
}

for folder in "$@"; do
    folder=$(cd -- "$folder" && pwd) || exit 1
    if [ -e "$folder/ompt/callback.h" ]; then
        llvm_suite "$folder"
    elif [ -e "$folder/utils/ompt-initialize.h" ]; then
        tr2_suite "$folder"
    else
        program_suite "$folder"
        cargo build --release --quiet -p ora-symbols --example inlined_calls --manifest-path "$root/Cargo.toml" &&
            printf '\n' && python3 "$root/compat-tests/static_loops.py" "$folder"
    fi
done
