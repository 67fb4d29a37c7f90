//! Parts of LLVM: clang, its header for tools, its OpenMP runtime. All are of one release, so that numbers can be compared.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::skips::missing;

/// The release of the gate, which tables name.
pub const OF_TABLES: &str = "19";

/// The release that is tested: `ORA_TEST_LLVM`, else that of the gate.
pub fn release() -> &'static str {
    static RELEASE: OnceLock<String> = OnceLock::new();
    RELEASE.get_or_init(|| std::env::var("ORA_TEST_LLVM").unwrap_or_else(|_| OF_TABLES.to_owned()))
}

/// The C compiler.
pub fn clang() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| format!("clang-{}", release()))
}

/// The C++ compiler.
pub fn clangxx() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| format!("clang++-{}", release()))
}

/// Folder of its libraries, which a clang that is called from elsewhere may not find.
pub fn libraries() -> &'static str {
    static FOLDER: OnceLock<String> = OnceLock::new();
    FOLDER.get_or_init(|| format!("/usr/lib/llvm-{}/lib", release()))
}

/// Flags by which a program finds its libraries, at link time and later.
pub fn flags() -> [&'static str; 2] {
    static FLAGS: OnceLock<[String; 2]> = OnceLock::new();
    let flags = FLAGS.get_or_init(|| [format!("-L{}", libraries()), format!("-Wl,-rpath,{}", libraries())]);
    flags.each_ref().map(String::as_str)
}

/// Its OpenMP runtime (Debian: `libomp5-*`); `None`, with a printed line, where it isn't installed.
///
/// # Panics
/// With `CI=true` and no such runtime.
pub fn runtime(test: &str) -> Option<PathBuf> {
    let path = Path::new(libraries()).join("libomp.so.5");
    is_here(path.is_file(), test, "LLVM's OpenMP runtime (Debian: libomp-19-dev)").then_some(path)
}

/// LLVM's own header for tools (Debian: `libomp-*-dev`); `None`, with a printed line, where it isn't installed.
///
/// # Panics
/// With `CI=true` and no such header.
pub fn omp_tools(test: &str) -> Option<PathBuf> {
    let path = Path::new(libraries()).join(format!("clang/{}/include/omp-tools.h", release()));
    is_here(path.is_file(), test, "LLVM's omp-tools.h (Debian: libomp-19-dev)").then_some(path)
}

/// Archer, the race detector's library (Debian: `libomp-*-dev`); `None`, with a printed line, where it isn't installed.
///
/// # Panics
/// With `CI=true` and no such library.
pub fn archer(test: &str) -> Option<PathBuf> {
    let path = Path::new(libraries()).join("libarcher.so");
    is_here(path.is_file(), test, "libarcher.so (Debian: libomp-19-dev)").then_some(path)
}

/// True if clang has ThreadSanitizer (Debian: `libclang-rt-*-dev`), and its reports have lines (`llvm-*`); a skip is printed, and
/// on CI it is a failure.
///
/// # Panics
/// With `CI=true` and without them.
pub fn clangs_thread_sanitizer_is_here(test: &str) -> bool {
    let library = format!("clang/{}/lib/linux/libclang_rt.tsan-x86_64.a", release());
    let runtime = Path::new(libraries()).join(library).is_file();
    clang_is_here(test)
        && is_here(runtime, test, "clang's ThreadSanitizer (Debian: libclang-rt-19-dev)")
        && is_here(starts(&format!("llvm-symbolizer-{}", release())), test, "llvm-symbolizer (Debian: llvm-19)")
}

/// ThreadSanitizer as a shared library (Debian: `libclang-rt-*-dev`); `None`, with a printed line, where it isn't installed.
///
/// # Panics
/// With `CI=true` and no such library.
pub fn thread_sanitizer(test: &str) -> Option<PathBuf> {
    let library = format!("clang/{}/lib/linux/libclang_rt.tsan-x86_64.so", release());
    let path = Path::new(libraries()).join(library);
    is_here(path.is_file(), test, "LLVM's ThreadSanitizer (Debian: libclang-rt-19-dev)").then_some(path)
}

/// True if clang can be called; a skip is printed, and on CI it is a failure.
///
/// # Panics
/// With `CI=true` and no clang.
pub fn clang_is_here(test: &str) -> bool {
    is_here(starts(clang()), test, clang())
}

fn starts(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn is_here(here: bool, test: &str, what: &str) -> bool {
    if !here {
        missing(test, what);
    }
    here
}
