//! Parts of LLVM: clang, its header for tools, its OpenMP runtime. All are of one release, so that numbers can be compared.

use std::path::Path;
use std::process::Command;

/// LLVM's own header for tools (Debian: libomp-19-dev); `None`, with a printed line, where it isn't installed.
///
/// # Panics
/// With `CI=true` and no such header.
pub fn omp_tools(test: &str) -> Option<&'static Path> {
    let path = Path::new("/usr/lib/llvm-19/lib/clang/19/include/omp-tools.h");
    is_here(path.is_file(), test, "LLVM's omp-tools.h (Debian: libomp-19-dev)").then_some(path)
}

/// Archer, the race detector's library (Debian: libomp-19-dev); `None`, with a printed line, where it isn't installed.
///
/// # Panics
/// With `CI=true` and no such library.
pub fn archer(test: &str) -> Option<&'static Path> {
    let path = Path::new("/usr/lib/llvm-19/lib/libarcher.so");
    is_here(path.is_file(), test, "libarcher.so (Debian: libomp-19-dev)").then_some(path)
}

/// True if clang-19 has ThreadSanitizer (Debian: libclang-rt-19-dev), and its reports have lines (llvm-19); a skip is printed,
/// and on CI it is a failure.
///
/// # Panics
/// With `CI=true` and without them.
pub fn clangs_thread_sanitizer_is_here(test: &str) -> bool {
    let runtime = Path::new("/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.tsan-x86_64.a").is_file();
    clang_is_here(test)
        && is_here(runtime, test, "clang's ThreadSanitizer (Debian: libclang-rt-19-dev)")
        && is_here(starts("llvm-symbolizer-19"), test, "llvm-symbolizer-19 (Debian: llvm-19)")
}

/// True if clang-19 can be called; a skip is printed, and on CI it is a failure.
///
/// # Panics
/// With `CI=true` and no clang.
pub fn clang_is_here(test: &str) -> bool {
    is_here(starts("clang-19"), test, "clang-19")
}

fn starts(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn is_here(here: bool, test: &str, what: &str) -> bool {
    if !here {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "{what} is missing, and CI must run every test");
        eprintln!("SKIP: {test}: {what} is not installed");
    }
    here
}
