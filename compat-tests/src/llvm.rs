//! Parts of LLVM: clang, its header for tools, its OpenMP runtime. All are of one release, so that numbers can be compared.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub use requirements::{LLVM as OF_TABLES, llvm as release};

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

/// Its OpenMP runtime; `None`, with a printed line, where it isn't installed.
///
/// # Panics
/// With `CI=true` and no such runtime.
pub fn runtime(test: &str) -> Option<PathBuf> {
    requirements::LIBOMP.is_here(test).then(|| Path::new(libraries()).join("libomp.so.5"))
}

/// LLVM's own header for tools; `None`, with a printed line, where it isn't installed.
///
/// # Panics
/// With `CI=true` and no such header.
pub fn omp_tools(test: &str) -> Option<PathBuf> {
    let path = Path::new(libraries()).join(format!("clang/{}/include/omp-tools.h", release()));
    requirements::OMP_TOOLS.is_here(test).then_some(path)
}

/// Archer, the race detector's library; `None`, with a printed line, where it isn't installed.
///
/// # Panics
/// With `CI=true` and no such library.
pub fn archer(test: &str) -> Option<PathBuf> {
    requirements::ARCHER.is_here(test).then(|| Path::new(libraries()).join("libarcher.so"))
}

/// True if clang has ThreadSanitizer, and its reports have lines; a skip is printed, and on CI it is a failure.
///
/// # Panics
/// With `CI=true` and without them.
pub fn clangs_thread_sanitizer_is_here(test: &str) -> bool {
    clang_is_here(test) && requirements::CLANG_TSAN.is_here(test) && requirements::SYMBOLIZER.is_here(test)
}

/// ThreadSanitizer as a shared library; `None`, with a printed line, where it isn't installed.
///
/// # Panics
/// With `CI=true` and no such library.
pub fn thread_sanitizer(test: &str) -> Option<PathBuf> {
    let library = format!("clang/{}/lib/linux/libclang_rt.tsan-x86_64.so", release());
    requirements::CLANG_TSAN_SO.is_here(test).then(|| Path::new(libraries()).join(library))
}

/// True if clang compiles OpenMP programs; a skip is printed, and on CI it is a failure.
///
/// # Panics
/// With `CI=true` and no such clang.
pub fn clang_is_here(test: &str) -> bool {
    requirements::CLANG.is_here(test) && requirements::CLANGXX.is_here(test)
}
