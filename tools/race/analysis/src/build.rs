//! The build of a program: is it built with ThreadSanitizer, and can its OpenMP runtime be seen?

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection};
use terminal::printable::Shown;
use untrusted::regular;

/// Compiler driver of a program, for a line to build with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// `gcc`
    Gcc,
    /// `g++`
    Gxx,
    /// `gfortran`
    Gfortran,
    /// `clang`
    Clang,
    /// `clang++`
    Clangxx,
}

impl Compiler {
    /// The driver, from a file's note about its compilers and the libraries that it needs.
    fn of(comment: &[u8], needed: &[String]) -> Self {
        let has = |text: &[u8]| comment.windows(text.len()).any(|part| part == text);
        let needs = |name: &str| needed.iter().any(|library| library.starts_with(name));
        match (has(b"clang version"), needs("libstdc++.so") || needs("libc++.so")) {
            (true, false) => Self::Clang,
            (true, true) => Self::Clangxx,
            (false, _) if needs("libgfortran.so") => Self::Gfortran,
            (false, true) => Self::Gxx,
            (false, false) => Self::Gcc,
        }
    }

    /// The driver that built a program, whose needed libraries are `needed`.
    pub fn of_file(path: &Path, needed: &[String]) -> Self {
        let comment = regular::read(path, regular::LARGEST_CODE).ok().and_then(|bytes| {
            let file = object::File::parse(bytes.as_slice()).ok()?;
            Some(file.section_by_name(".comment")?.data().ok()?.to_owned())
        });
        Self::of(&comment.unwrap_or_default(), needed)
    }

    fn source(self) -> &'static str {
        match self {
            Self::Gcc | Self::Clang => "c",
            Self::Gxx | Self::Clangxx => "cpp",
            Self::Gfortran => "f90",
        }
    }
}

impl fmt::Display for Compiler {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Gcc => "gcc",
            Self::Gxx => "g++",
            Self::Gfortran => "gfortran",
            Self::Clang => "clang",
            Self::Clangxx => "clang++",
        })
    }
}

/// The line to build a program with.
pub(crate) fn build_line(compiler: Compiler, program: &Path) -> String {
    let name = program.file_name().unwrap_or(OsStr::new("program")).to_string_lossy();
    let stem = name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("program");
    format!("{compiler} -g -Og -fopenmp -fsanitize=thread {stem}.{} -o {name}", compiler.source())
}

/// Facts about the program that decide whether races can be found in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// It or one of its libraries is instrumented.
    pub instrumented: bool,
    /// It or one of its libraries calls an OpenMP runtime, or contains one.
    pub openmp: bool,
    /// libgomp is linked into the program.
    pub libgomp_inside: bool,
    /// A runtime from LLVM or Intel without a tool interface.
    pub without_ompt: Option<PathBuf>,
    /// It doesn't use a dynamic linker.
    pub is_static: bool,
}

/// The reason why no race could be found in a program, with the line to build with.
pub fn reason(facts: &Facts, path: &Path, compiler: Compiler) -> Option<String> {
    let line = build_line(compiler, path);
    if facts.openmp && !facts.instrumented {
        return Some(format!(
            "it is not built with -fsanitize=thread. Compile all of its sources, and link them, with that option:\n    {line}"
        ));
    }
    if facts.instrumented && facts.is_static {
        return Some(format!(
            "it is linked statically, so no library can be preloaded. Link it without -static:\n    {line}"
        ));
    }
    if facts.instrumented && facts.libgomp_inside {
        return Some(format!(
            "libgomp is linked into it, where its calls can't be seen. Link it to the shared library:\n    {line}"
        ));
    }
    facts.without_ompt.as_ref().map(|runtime| {
        format!(
            "its OpenMP runtime {} is built without OMPT, the interface for tools. Use another build of it, or gcc:\n    {}",
            runtime.shown(),
            build_line(Compiler::Gcc, path)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_to_build_with_names_the_compiler_and_the_program() {
        let of = |comment: &[u8], needed: &[&str]| {
            Compiler::of(comment, &needed.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(of(b"GCC: (Debian) 12.2.0", &["libc.so.6"]), Compiler::Gcc);
        assert_eq!(of(b"GCC: (Debian) 12.2.0", &["libstdc++.so.6"]), Compiler::Gxx);
        assert_eq!(of(b"GCC: (Debian) 12.2.0", &["libgfortran.so.5"]), Compiler::Gfortran);
        assert_eq!(of(b"GCC: 12\0Debian clang version 19", &["libstdc++.so.6"]), Compiler::Clangxx);
        assert_eq!(of(b"Debian clang version 19", &[]), Compiler::Clang);
        let line = build_line(Compiler::Gfortran, Path::new("/a/heat.x"));
        assert_eq!(line, "gfortran -g -Og -fopenmp -fsanitize=thread heat.f90 -o heat.x");
    }

    #[test]
    fn each_reason_to_refuse_has_its_remedy() {
        let says = |facts: &Facts| reason(facts, Path::new("p"), Compiler::Gcc).unwrap_or_default();
        let plain = || Facts { openmp: true, ..Facts::default() };
        let good = || Facts { instrumented: true, ..plain() };
        assert!(says(&plain()).contains("not built with -fsanitize=thread"));
        assert!(says(&Facts { is_static: true, ..good() }).contains("without -static"));
        assert!(says(&Facts { libgomp_inside: true, ..good() }).contains("the shared library"));
        assert!(says(&Facts { without_ompt: Some("/l/libomp.so".into()), ..good() }).contains("/l/libomp.so"));
        assert_eq!([good(), Facts::default()].map(|facts| says(&facts)), ["", ""]);
    }
}
