//! Tools of OMPT: shared libraries that a runtime recognizes by a function that they export.

use std::env;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use system::arch::MACHINE;

use crate::image::{INITIALIZE, Image, Kind, START_TOOL, texts_in};
use crate::scope;

/// Function that a collector looks up.
pub const COLLECTORS_FUNCTION: &str = "__omp_collector_api";

/// The two forms of OMPT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Interface {
    /// OpenMP Technical Report 2.
    #[serde(rename = "tr2")]
    Tr2,
    /// OpenMP 5.0 and later.
    #[serde(rename = "openmp_5")]
    OpenMp5,
}

impl Interface {
    /// Both forms.
    pub const ALL: [Self; 2] = [Self::Tr2, Self::OpenMp5];

    /// Function that a tool of this interface defines (TR2, 6.1.1; OpenMP 5.0, 4.2.1).
    pub fn function(self) -> &'static str {
        match self {
            Self::Tr2 => INITIALIZE,
            Self::OpenMp5 => START_TOOL,
        }
    }

    /// Name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tr2 => "TR2",
            Self::OpenMp5 => "OpenMP 5",
        }
    }
}

/// A library that is a tool.
#[derive(Debug)]
pub struct Tool {
    /// The full path, which remains valid after the program has changed its folder.
    pub path: PathBuf,
    /// The form of OMPT that the tool is written for.
    pub interface: Interface,
}

impl Tool {
    /// Reasons why the dynamic linker would not load it, as far as the tool and its libraries show them.
    pub fn errors(&self) -> Vec<String> {
        let Ok(image) = Image::read(&self.path) else { return Vec::new() };
        let variables = env::var_os("LD_LIBRARY_PATH").map(|folders| ("LD_LIBRARY_PATH", folders));
        let scope = scope::of(&self.path, &image, variables.as_slice());
        let missing = scope.missing.iter().map(|name| format!("{name} was not found"));
        missing.chain(scope.complaints).collect()
    }

    /// Examines the library that a user has named as a tool.
    ///
    /// # Errors
    /// If it isn't a tool, or can't be loaded here.
    pub fn read(given: &Path) -> Result<Self, Refusal> {
        let path = given.canonicalize().map_err(Refusal::Unreadable)?;
        let image = match Kind::of(&path).map_err(Refusal::Unreadable)? {
            Kind::Ours => Image::read(&path).map_err(|_| Refusal::NoLibrary)?,
            Kind::Foreign(machine) => return Err(Refusal::Foreign(machine)),
            Kind::Script(_) | Kind::Other => return Err(Refusal::NoLibrary),
        };
        if image.program {
            return Err(Refusal::Program);
        }
        // libomp defines `ompt_start_tool` itself, and uses it to look for the next one.
        if image.offers("__kmpc_fork_call") || image.offers("omp_get_thread_num") {
            return Err(Refusal::Runtime);
        }
        if let Some(interface) = Interface::ALL.into_iter().find(|i| image.offers(i.function())) {
            return Ok(Self { path, interface });
        }
        let concealed = Interface::ALL.into_iter().find(|i| image.concealed.contains(i.function()));
        Err(match concealed {
            Some(interface) => Refusal::Concealed(interface),
            None if !image.offers(COLLECTORS_FUNCTION) && texts_in(&path, &[COLLECTORS_FUNCTION]) > 0 => {
                Refusal::Collector
            }
            None => Refusal::NoFunction,
        })
    }
}

/// Reason why a library can't be a tool.
#[derive(Debug)]
pub enum Refusal {
    /// The file can't be read.
    Unreadable(io::Error),
    /// It isn't a shared library for this machine.
    NoLibrary,
    /// It is for another machine, which the text names.
    Foreign(String),
    /// It is a program.
    Program,
    /// It is an OpenMP runtime.
    Runtime,
    /// It contains the function, but doesn't export it.
    Concealed(Interface),
    /// It is a collector of the Sun Collector API.
    Collector,
    /// It doesn't have a tool's function.
    NoFunction,
}

/// Continues a sentence that starts with the library's name.
impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(out, "can't be read: {error}"),
            Self::NoLibrary => write!(out, "is not a shared library for {MACHINE}"),
            Self::Foreign(machine) => write!(out, "is for another machine: {machine}"),
            Self::Program => out.write_str("is a program, not a shared library"),
            Self::Runtime => out.write_str("is an OpenMP runtime, not a tool"),
            Self::Concealed(interface) => write!(out, "has {}, but doesn't export it", interface.function()),
            Self::Collector | Self::NoFunction => {
                write!(out, "exports neither {START_TOOL} (OpenMP 5) nor {INITIALIZE} (TR2)")
            }
        }
    }
}

impl Refusal {
    /// Next step for the user.
    pub fn what_to_do(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "check the path",
            Self::NoLibrary | Self::Program | Self::Foreign(_) => {
                "build the tool with `gcc -shared -fPIC -o libmytool.so mytool.c`"
            }
            Self::Runtime => "name the tool's library",
            Self::Concealed(_) => {
                "build it without -fvisibility=hidden, and without a version script or `static` that conceals the function"
            }
            Self::Collector => "it names __omp_collector_api, as collectors do: use --collector",
            Self::NoFunction => "a tool defines one of them; for a collector (Sun Collector API) use --collector",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_library_is_no_tool() {
        let says = |path: &str| Tool::read(Path::new(path)).unwrap_err().to_string();
        assert!(says("/no/such.so").starts_with("can't be read: "));
        for other in ["/etc/passwd", "/dev/null"] {
            assert_eq!(says(other), format!("is not a shared library for {MACHINE}"));
        }
        assert_eq!(says("/proc/self/exe"), "is a program, not a shared library");
    }
}
