//! Products of this crate's sources (programs, collectors, tools), each compiled once.

use std::convert::Infallible;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::compiled::{key, once};
use crate::library::{SANITIZER, crate_dir, project_dir};
use crate::llvm;

/// Folder of products, shared by all tests: `Forge::at(env!("CARGO_TARGET_TMPDIR"))`.
pub struct Forge {
    dir: PathBuf,
}

/// Compiler and language standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `gcc -std=c99 -pedantic`
    C99,
    /// `gcc -std=c11`
    C11,
    /// `g++ -std=c++11 -pedantic`, also for C sources
    Cxx11,
    /// `g++ -std=c++17`
    Cxx17,
    /// `gfortran`
    Fortran,
    /// `clang -std=c11`
    ClangC11,
    /// `clang++ -std=c++17`
    ClangCxx17,
}

impl Language {
    /// The language of a file, by its extension.
    ///
    /// # Panics
    /// On an extension that no source here has.
    pub fn of(source: &str) -> Self {
        match source.rsplit('.').next() {
            Some("c") => Self::C11,
            Some("cc") => Self::Cxx17,
            Some("f90") => Self::Fortran,
            _ => panic!("{source}: no compiler for this extension"),
        }
    }

    fn compiler(self) -> &'static str {
        match self {
            Self::C99 | Self::C11 => "gcc",
            Self::Cxx11 | Self::Cxx17 => "g++",
            Self::Fortran => "gfortran",
            Self::ClangC11 => llvm::clang(),
            Self::ClangCxx17 => llvm::clangxx(),
        }
    }

    fn flags(self) -> &'static [&'static str] {
        match self {
            Self::C99 => &["-std=c99", "-pedantic", "-D_GNU_SOURCE"],
            Self::C11 | Self::ClangC11 => &["-std=c11", "-D_GNU_SOURCE"],
            Self::Cxx11 => &["-x", "c++", "-std=c++11", "-pedantic"],
            Self::Cxx17 | Self::ClangCxx17 => &["-std=c++17"],
            // gcc 16 warns about names that OpenMP has deprecated; unlike C (see `older_names.h`), Fortran has no pragma to silence that.
            Self::Fortran => &["-Wno-deprecated-openmp"],
        }
    }
}

impl Forge {
    /// Creates a forge that keeps its products in a folder of `tmp`.
    ///
    /// # Panics
    /// If the folder can't be created.
    pub fn at(tmp: &str) -> Self {
        let dir = Path::new(tmp).join("forge");
        fs::create_dir_all(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
        Self { dir }
    }

    /// Folder of products and runs.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Builds an OpenMP program of `programs/`.
    pub fn program(&self, source: &str) -> PathBuf {
        self.build(Language::of(source), &[&format!("programs/{source}")], &["-O2", "-g", "-fopenmp", "-pthread"], "")
    }

    /// Builds a program of `programs/` that doesn't use OpenMP.
    pub fn plain_program(&self, source: &str) -> PathBuf {
        self.build(Language::of(source), &[&format!("programs/{source}")], &["-O2", "-g", "-pthread"], "")
    }

    /// Builds a collector of `collectors/` together with the trace writer, as C99.
    pub fn collector(&self, source: &str) -> PathBuf {
        self.collector_in(Language::C99, source)
    }

    /// Builds a collector as C99 or as C++11.
    pub fn collector_in(&self, language: Language, source: &str) -> PathBuf {
        let sources = [&*format!("collectors/{source}"), "collectors/trace.c", "collectors/sampler.c"];
        self.build(language, &sources, &["-O2", "-g", "-shared", "-fPIC", "-pthread"], ".so")
    }

    /// Builds an OMPT tool in C++ that doesn't need the C++ library.
    pub fn tool(&self, source: &str) -> PathBuf {
        self.build(Language::Cxx17, &[source], &["-O2", "-g", "-shared", "-fPIC", "-pthread", "-Wl,--as-needed"], ".so")
    }

    /// Builds any other product: `sources` are relative to the crate; `-I collectors` and `-I headers` are added.
    ///
    /// # Panics
    /// If the compiler fails; the message contains the command and its output.
    pub fn build(&self, language: Language, sources: &[&str], flags: &[&str], suffix: &str) -> PathBuf {
        self.link(language, sources, flags, &[], suffix)
    }

    /// Like [`Self::build`], with products (libraries) to link against, which are named by path after the sources.
    pub fn link(
        &self,
        language: Language,
        sources: &[&str],
        flags: &[&str],
        products: &[&Path],
        suffix: &str,
    ) -> PathBuf {
        self.attempt(language, sources, flags, products, suffix).unwrap_or_else(|said| panic!("{said}"))
    }

    /// Like [`Self::link`], but returns the compiler's errors.
    ///
    /// # Errors
    /// The command and the compiler's output, if the compiler fails.
    ///
    /// # Panics
    /// If the compiler doesn't exist, or files can't be written.
    pub fn attempt(
        &self,
        language: Language,
        sources: &[&str],
        flags: &[&str],
        products: &[&Path],
        suffix: &str,
    ) -> Result<PathBuf, String> {
        let mut command = compiler(language, sources, flags, products);
        let stem = sources.first().and_then(|s| Path::new(s).file_stem()).and_then(|s| s.to_str()).unwrap_or("product");
        let product = self.dir.join(format!("{stem}-{:016x}{suffix}", key(&command)));
        once(&product, |fresh| compile(&mut command, language, fresh))?;
        Ok(product)
    }

    /// Makes a file without a compiler, once: `fill` writes it to the given path.
    pub fn file(&self, name: &str, fill: impl FnOnce(&Path)) -> PathBuf {
        let product = self.dir.join(name);
        let Ok(()) = once(&product, |fresh| {
            fill(fresh);
            Ok::<_, Infallible>(())
        });
        product
    }
}

/// Compiler's command, without the name of the product.
fn compiler(language: Language, sources: &[&str], flags: &[&str], products: &[&Path]) -> Command {
    let mut command = Command::new(language.compiler());
    command.current_dir(crate_dir()).args(["-Wall", "-Wextra", "-Werror"]).args(language.flags()).args(flags);
    command.arg("-Icollectors").arg("-I").arg(project_dir().join("headers")).args(sources);
    if language == Language::Cxx11 {
        // Stops `-x c++` from applying to libraries, which must not be read as sources.
        command.args(["-x", "none"]);
    }
    command.args(products).arg("-ldl");
    if std::env::var_os(SANITIZER).is_some() {
        // The functions that the library's sanitizer checks call are loaded at run time.
        command.arg("-Wl,--allow-shlib-undefined");
    }
    command
}

/// Runs the compiler. The error is the command and the compiler's output.
fn compile(command: &mut Command, language: Language, product: &Path) -> Result<(), String> {
    let modules = product.with_extension(format!("modules{}", std::process::id()));
    if language == Language::Fortran {
        // Modules that a source defines would be written to the current folder, where two compilers could write the same file
        // simultaneously.
        fs::create_dir_all(&modules).unwrap_or_else(|e| panic!("{}: {e}", modules.display()));
        command.arg("-J").arg(&modules);
    }
    let output = command.arg("-o").arg(product).output();
    let output = output.unwrap_or_else(|e| panic!("can't run the compiler: {command:?}: {e}"));
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let _ = fs::remove_dir_all(&modules);
    if !output.status.success() || !said.trim().is_empty() {
        let _ = fs::remove_file(product);
        return Err(format!("{command:?}\n{}\n{said}", output.status));
    }
    Ok(())
}

/// True if Fortran programs can be built. If not, prints that the test is skipped; on CI that is a failure.
///
/// # Panics
/// With `CI=true` and no gfortran.
pub fn fortran_is_here(test: &str) -> bool {
    requirements::GFORTRAN.is_here(test)
}
