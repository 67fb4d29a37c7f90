//! What LLVM brings: clang, its header for tools, its OpenMP runtime. All from one release, so that numbers can be
//! compared.

use std::path::Path;
use std::process::Command;

/// LLVM's own header for tools (Debian: libomp-19-dev); `None`, and said aloud, where it isn't installed.
///
/// # Panics
/// With `CI=true` and no such header.
pub fn omp_tools(test: &str) -> Option<&'static Path> {
    let path = Path::new("/usr/lib/llvm-19/lib/clang/19/include/omp-tools.h");
    is_here(path.is_file(), test, "LLVM's omp-tools.h (Debian: libomp-19-dev)").then_some(path)
}

/// Archer, the race detector's library (Debian: libomp-19-dev); `None`, and said aloud, where it isn't installed.
///
/// # Panics
/// With `CI=true` and no such library.
pub fn archer(test: &str) -> Option<&'static Path> {
    let path = Path::new("/usr/lib/llvm-19/lib/libarcher.so");
    is_here(path.is_file(), test, "libarcher.so (Debian: libomp-19-dev)").then_some(path)
}

/// Whether clang-19 has ThreadSanitizer (Debian: libclang-rt-19-dev); a skip is said aloud, and on CI it is a failure.
///
/// # Panics
/// With `CI=true` and without it.
pub fn clangs_thread_sanitizer_is_here(test: &str) -> bool {
    let path = Path::new("/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.tsan-x86_64.a");
    clang_is_here(test) && is_here(path.is_file(), test, "clang's ThreadSanitizer (Debian: libclang-rt-19-dev)")
}

/// Whether clang-19 can be called; a skip is said aloud, and on CI it is a failure.
///
/// # Panics
/// With `CI=true` and no clang.
pub fn clang_is_here(test: &str) -> bool {
    let here = Command::new("clang-19").arg("--version").output().is_ok_and(|output| output.status.success());
    is_here(here, test, "clang-19")
}

fn is_here(here: bool, test: &str, what: &str) -> bool {
    if !here {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "{what} is missing, and CI must run every test");
        eprintln!("SKIP: {test}: {what} is not installed");
    }
    here
}
