//! Parts of LLVM: clang, its header for tools, its OpenMP runtime. All are of one release, so that numbers are comparable.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub use requirements::{LLVM as OF_TABLES, llvm as release};

/// Name of the C compiler.
pub fn clang() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| format!("clang-{}", release()))
}

/// Name of the C++ compiler.
pub fn clangxx() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| format!("clang++-{}", release()))
}

/// Folder of LLVM's libraries, which clang may not find by itself.
pub fn libraries() -> &'static str {
    static FOLDER: OnceLock<String> = OnceLock::new();
    FOLDER.get_or_init(|| format!("/usr/lib/llvm-{}/lib", release()))
}

/// Flags with which a program finds LLVM's libraries, at link time and at run time.
pub fn flags() -> [&'static str; 2] {
    static FLAGS: OnceLock<[String; 2]> = OnceLock::new();
    let flags = FLAGS.get_or_init(|| [format!("-L{}", libraries()), format!("-Wl,-rpath,{}", libraries())]);
    flags.each_ref().map(String::as_str)
}

/// LLVM's OpenMP runtime; `None` if it is not installed, and then a line is printed.
///
/// # Panics
/// With `CI=true`, if it is not installed.
pub fn runtime(test: &str) -> Option<PathBuf> {
    requirements::LIBOMP.is_here(test).then(|| Path::new(libraries()).join("libomp.so.5"))
}

/// LLVM's own header for tools; `None` if it is not installed, and then a line is printed.
///
/// # Panics
/// With `CI=true`, if it is not installed.
pub fn omp_tools(test: &str) -> Option<PathBuf> {
    let path = Path::new(libraries()).join(format!("clang/{}/include/omp-tools.h", release()));
    requirements::OMP_TOOLS.is_here(test).then_some(path)
}

/// Library of Archer, the race detector; `None` if it is not installed, and then a line is printed.
///
/// # Panics
/// With `CI=true`, if it is not installed.
pub fn archer(test: &str) -> Option<PathBuf> {
    requirements::ARCHER.is_here(test).then(|| Path::new(libraries()).join("libarcher.so"))
}

/// True if clang has ThreadSanitizer and its reports contain lines. If not, prints that the test is skipped; on CI that is a failure.
///
/// # Panics
/// With `CI=true`, if one of them is missing.
pub fn clangs_thread_sanitizer_is_here(test: &str) -> bool {
    clang_is_here(test) && requirements::CLANG_TSAN.is_here(test) && requirements::SYMBOLIZER.is_here(test)
}

/// ThreadSanitizer as a shared library; `None` if it is not installed, and then a line is printed.
///
/// # Panics
/// With `CI=true`, if it is not installed.
pub fn thread_sanitizer(test: &str) -> Option<PathBuf> {
    let library = format!("clang/{}/lib/linux/libclang_rt.tsan-x86_64.so", release());
    requirements::CLANG_TSAN_SO.is_here(test).then(|| Path::new(libraries()).join(library))
}

/// True if clang compiles OpenMP programs. If not, prints that the test is skipped; on CI that is a failure.
///
/// # Panics
/// With `CI=true`, if there is no such clang.
pub fn clang_is_here(test: &str) -> bool {
    requirements::CLANG.is_here(test) && requirements::CLANGXX.is_here(test)
}
