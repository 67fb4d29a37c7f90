//! Examination of a program before its run: is it built with ThreadSanitizer, and can its OpenMP runtime be seen?

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection};
use outside::regular;
use terminal::printable::Shown;

use crate::exit::{Failure, OWN_FAILURE};
use crate::image::{Image, Kind};
use crate::{program, scope};

/// Function that instrumented code calls first.
const INITIALIZER: &str = "__tsan_init";
/// Functions that an OpenMP runtime defines: libgomp, and LLVM's and Intel's.
const LIBGOMP: &str = "GOMP_parallel";
const LIBOMP: &str = "__kmpc_fork_call";

/// Compiler driver of a program, for a line to build with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compiler {
    Gcc,
    Gxx,
    Gfortran,
    Clang,
    Clangxx,
}

impl Compiler {
    /// The driver, by a file's note about its compilers and by the libraries that it needs.
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
pub(super) fn build_line(compiler: Compiler, program: &Path) -> String {
    let name = program.file_name().unwrap_or(OsStr::new("program")).to_string_lossy();
    let stem = name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("program");
    format!("{compiler} -g -Og -fopenmp -fsanitize=thread {stem}.{} -o {name}", compiler.source())
}

/// Facts about the program that decide whether races can be found in it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Facts {
    /// It or a library of it is instrumented.
    instrumented: bool,
    /// It or a library of it calls an OpenMP runtime, or contains one.
    openmp: bool,
    /// libgomp is linked into the program.
    libgomp_inside: bool,
    /// A runtime of LLVM's or Intel's without a tool interface.
    without_ompt: Option<PathBuf>,
    /// Without a dynamic linker.
    is_static: bool,
}

/// Refuses a program in which no race could be found. A script, or a program without OpenMP, may start one in which they can.
///
/// # Errors
/// With the reason, and with the line to build with.
pub(super) fn check(program: &OsStr) -> Result<(), Failure> {
    let Some(path) = program::file(Path::new(program)) else { return Ok(()) };
    let Ok(Kind::Ours) = Kind::of(&path) else { return Ok(()) };
    let Ok(image) = Image::read(&path) else { return Ok(()) };
    let facts = facts(&path, &image);
    match reason(&facts, &path, compiler(&path, &image)) {
        None => Ok(()),
        Some(reason) => Err(Failure {
            code: OWN_FAILURE,
            message: format!("no race can be found in {}: {reason}", Path::new(program).shown()),
        }),
    }
}

/// True for a program that is instrumented, or has a library that is.
pub(super) fn is_instrumented_program(program: &OsStr) -> bool {
    program::file(Path::new(program))
        .is_some_and(|path| Image::read(&path).is_ok_and(|image| facts(&path, &image).instrumented))
}

/// True for a program that has ThreadSanitizer linked in, as clang does.
pub(super) fn has_sanitizer_inside(program: &OsStr) -> bool {
    let image = program::file(Path::new(program)).and_then(|path| Image::read(&path).ok());
    image.is_some_and(|image| image.interpreter.is_some() && image.defined.contains(INITIALIZER))
}

fn reason(facts: &Facts, path: &Path, compiler: Compiler) -> Option<String> {
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

fn facts(path: &Path, image: &Image) -> Facts {
    let variables: Vec<(&str, OsString)> =
        ["LD_LIBRARY_PATH", "LD_PRELOAD"].into_iter().filter_map(|name| Some((name, env::var_os(name)?))).collect();
    let is_static = image.interpreter.is_none() && image.needed.is_empty();
    let objects = if is_static { Vec::new() } else { scope::of(path, image, &variables).objects };
    let libraries: Vec<(PathBuf, Image)> =
        objects.into_iter().filter_map(|library| Image::read(&library).ok().map(|image| (library, image))).collect();
    let calls = |image: &Image| ["GOMP_", "__kmpc_"].iter().any(|prefix| image.calls(prefix));
    let inside = |image: &Image| [LIBGOMP, LIBOMP].iter().any(|name| image.defined.contains(*name));
    let all = || std::iter::once(image).chain(libraries.iter().map(|(_, image)| image));
    let runtime = |(path, image): &(PathBuf, Image)| {
        (image.offers(LIBOMP) && !image.defined.contains("ompt_start_tool")).then(|| path.clone())
    };
    Facts {
        instrumented: all().any(is_instrumented),
        openmp: inside(image) || all().any(calls),
        libgomp_inside: image.defined.contains(LIBGOMP),
        without_ompt: libraries.iter().find_map(runtime).filter(|_| image.calls("__kmpc_")),
        is_static,
    }
}

/// True for code that calls ThreadSanitizer, and for a program that has it linked in. The sanitizer's own library, which may be
/// preloaded, is no evidence.
pub(crate) fn is_instrumented(image: &Image) -> bool {
    image.imports.contains(INITIALIZER) || (image.interpreter.is_some() && image.defined.contains(INITIALIZER))
}

fn compiler(path: &Path, image: &Image) -> Compiler {
    let comment = regular::read(path, regular::LARGEST_CODE).ok().and_then(|bytes| {
        let file = object::File::parse(bytes.as_slice()).ok()?;
        Some(file.section_by_name(".comment")?.data().ok()?.to_owned())
    });
    Compiler::of(&comment.unwrap_or_default(), &image.needed)
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
