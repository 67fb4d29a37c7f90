#!/bin/sh
# Runs the library with a sanitizer's checks compiled in, under its unit tests and the programs of the compat tests; or the unit tests under
# valgrind: sanitize.sh memcheck|address|thread. A finding is a failure.
#
# The checks need flags of nightly compilers: `RUSTC_BOOTSTRAP=1`, for these builds only, never for a product. The sanitizers' runtimes are
# clang's, and are preloaded into each program.
set -eu
cd -- "$(dirname -- "$0")/.."
cargo=${CARGO:-cargo} target=${CARGO_TARGET_DIR:-$PWD/target} triple=x86_64-unknown-linux-gnu
# Crates whose code runs inside other programs. The profiler is left out, because it interposes the same functions as sanitizers.
crates=$(printf -- '--package %s ' ora ompt-core ora-system ora-runtimes ora-stat-collector ora-stat-layout ora-client ora-request-log \
    ora-profile-format ora-validate-tool)

case $1 in
    memcheck)
        export CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER='valgrind --quiet --error-exitcode=9 --leak-check=no'
        exec "$cargo" test --release --quiet --lib $crates ;;
    address)
        name=asan flags=-Zsanitizer=address
        export ASAN_OPTIONS=detect_leaks=0
        # Left out: tests that compare memory, limits and refusals with those of the bare program, have stacks of a few kilobytes or code at
        # fixed addresses, use a sanitizer themselves, or have the library in an archive.
        tests='task_id_queries blocked counts embed endings hostile_tools kernels many_ids ompt5 ompt5_sampling ompt5_discovery llvm_runtime
            llvm_runtime_collectors llvm_runtime_tools llvm_runtime_tr2 llvm_runtime_discovery tool_in_program pomp predecessors
            private_bindings private_runtimes sampling session_stress sessions three_interfaces tr2 tr2_programs transparency waits loading'
        # Joins a thread twice, for which AddressSanitizer ends the program; a program with more privileges, which loads no sanitizer; one
        # with the library in an archive; memory of processes; valgrind.
        without='the_main_thread_may_end_before_another a_program_with_more_rights
            a_program_with_the_archive_and_a_tool_has_one_definition libgomps_that_come_and_go helgrind'
        runtimes='embed libgomp' ;;
    thread)
        # ThreadSanitizer doesn't see the synchronization inside OpenMP runtimes, so its tests are programs with little other
        # synchronization. No report is suppressed: to compare a report's names, the sanitizer takes the dynamic linker's lock under one of
        # its own, which deadlocks with a thread that walks the list of loaded objects.
        name=tsan flags='-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer'
        export TSAN_OPTIONS=ignore_noninstrumented_modules=1
        tests='embed session_stress sessions waits'
        without=helgrind
        runtimes=embed ;;
esac

runtime=/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.$name-x86_64.so
[ -f "$runtime" ] || { echo "$runtime is missing. Next: apt-get install libclang-rt-19-dev" >&2; exit 1; }
library=$target/$name/$triple/release/libora.so
instrumented() { # COMMAND OPTION...
    command=$1
    shift
    RUSTC_BOOTSTRAP=1 RUSTFLAGS=$flags CARGO_TARGET_DIR=$target/$name "$cargo" "$command" --release --quiet --target "$triple" "$@"
}

echo "$name: the library"
"$cargo" build --release --quiet --package fuzz --bin throughput
instrumented build --package ora
# Rust's own test harness is not usable with ThreadSanitizer, as it was compiled without it.
if [ "$name" = asan ]; then
    echo "$name: unit tests"
    instrumented test --lib $crates
fi
echo "$name: programs"
ORA_TEST_SANITIZER=$runtime ORA_LIB=$library "$cargo" test --release --quiet --package compat-tests --test all -- --include-ignored \
    $(printf '%s:: ' $tests) $(printf -- '--skip %s ' $without)
for kind in $runtimes; do
    echo "$name: short arrays of requests, $kind"
    LD_PRELOAD=$runtime "$target/release/throughput" --threads 4 --millions 2 --runtime "$kind" --library "$library"
done
