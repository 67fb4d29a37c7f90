//! Classification of OpenMP runtimes by their exported symbols, and the service that each one gets.

use std::path::{Path, PathBuf};

use linking::image::{Image, texts_in};
use serde::Serialize;

/// Family of an OpenMP runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) enum Kind {
    #[serde(rename = "libgomp")]
    Gnu,
    #[serde(rename = "libomp")]
    Llvm,
    #[serde(rename = "libiomp5")]
    Intel,
}

/// Service that a runtime gets from the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Service {
    /// Its adapter reports it, unless a reason is in the way.
    Reported,
    /// It runs undisturbed, and none of its events is reported.
    Undisturbed,
    /// It is part of a program or library, so its calls can't be intercepted.
    BuiltIn,
    /// Built in as well, but OPARI has instrumented the code, and its calls are reported.
    Instrumented,
}

/// A runtime.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Runtime {
    /// Its kind.
    pub(crate) kind: Kind,
    /// Its file; of one that is built in, the file that it is built into.
    pub(crate) path: PathBuf,
    /// Service that it gets.
    pub(crate) service: Service,
    /// Adapter that reports it: `"gomp"`, `"ompt"` (libora.so is the tool of a runtime that has OMPT itself),
    /// or `null` where none does.
    pub(crate) host: Option<&'static str>,
}

impl Runtime {
    pub(crate) fn new(kind: Kind, path: &Path, service: Service) -> Self {
        let host = (service == Service::Reported).then_some(kind.host());
        Self { kind, path: path.to_owned(), service, host }
    }
}

impl Kind {
    /// The runtime that a shared library is, if it is one.
    pub(crate) fn of(path: &Path, image: &Image) -> Option<Self> {
        if image.offers("__omp_collector_api") && !image.offers("omp_get_thread_num") {
            return None;
        }
        if image.offers("__kmpc_fork_call") {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            return Some(if name.starts_with("libiomp") { Self::Intel } else { Self::Llvm });
        }
        let gnu = ["GOMP_parallel", "GOMP_barrier", "omp_get_thread_num"];
        gnu.iter().all(|name| image.offers(name)).then_some(Self::Gnu)
    }

    /// Name of the adapter that reports this runtime.
    pub(crate) fn host(self) -> &'static str {
        if self.has_ompt() { "ompt" } else { "gomp" }
    }

    /// True if the runtime has its own OMPT, so that it reports to its tool: the library.
    pub(crate) fn has_ompt(self) -> bool {
        self != Self::Gnu
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gnu => "GNU libgomp",
            Self::Llvm => "LLVM libomp",
            Self::Intel => "Intel libiomp5",
        }
    }
}

impl Runtime {
    /// Text for the service. `works`: nothing prevents the reports.
    pub(crate) fn words(&self, works: bool) -> String {
        match self.service {
            Service::Reported if !works => "would be reported".to_owned(),
            Service::Reported if self.kind.has_ompt() => "reported: libora.so is its OMPT tool".to_owned(),
            Service::Reported => "reported: libora.so intercepts its calls".to_owned(),
            Service::Undisturbed => "runs undisturbed, not reported".to_owned(),
            Service::BuiltIn => "built in: out of reach".to_owned(),
            Service::Instrumented => "built in: only OPARI's calls in the code are reported".to_owned(),
        }
    }
}

/// Evidence of a runtime that is linked into a program or library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// Its functions are in the symbol table.
    Symbols,
    /// Its messages are in a stripped file.
    Texts,
}

/// Names that every libgomp contains in full. Since gcc 13, those of OpenMP's own variables are stored without their
/// `OMP_`.
const GNU_TEXTS: [&str; 3] = ["GOMP_SPINCOUNT", "GOMP_STACKSIZE", "GOMP_CPU_AFFINITY"];
const LLVM_TEXTS: [&str; 3] = ["KMP_BLOCKTIME", "KMP_AFFINITY", "KMP_LIBRARY"];

/// A runtime that was linked into this program or library, which isn't a runtime itself.
pub(crate) fn built_in(path: &Path, image: &Image) -> Option<(Kind, Evidence)> {
    // Internal functions: a program that only defines the entry points doesn't have them.
    if image.defined.contains("GOMP_parallel") && image.defined.iter().any(|name| name.starts_with("gomp_")) {
        return Some((Kind::Gnu, Evidence::Symbols));
    }
    if image.defined.contains("__kmpc_fork_call") {
        return Some((Kind::Llvm, Evidence::Symbols));
    }
    if is_system(path) || !image.stripped || image.calls("GOMP_") || image.calls("__kmpc_") {
        return None;
    }
    if texts_in(path, &GNU_TEXTS) == GNU_TEXTS.len() {
        Some((Kind::Gnu, Evidence::Texts))
    } else if texts_in(path, &LLVM_TEXTS) == LLVM_TEXTS.len() {
        Some((Kind::Llvm, Evidence::Texts))
    } else {
        None
    }
}

/// Libraries of the C and C++ implementation, which are too many and too large to be searched each time.
fn is_system(path: &Path) -> bool {
    const NAMES: [&str; 10] = [
        "libc.so",
        "libc-",
        "libm.so",
        "libpthread",
        "libdl.",
        "librt.",
        "libgcc_s",
        "libstdc++",
        "libgfortran",
        "ld-linux",
    ];
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    NAMES.iter().any(|known| name.starts_with(known)) || name.starts_with("libasan")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(path: &str, exports: &[&str]) -> Option<Kind> {
        let image = Image { exports: exports.iter().map(|n| (*n).to_owned()).collect(), ..Image::default() };
        Kind::of(Path::new(path), &image)
    }

    #[test]
    fn runtimes_are_known_by_what_they_export() {
        let gnu = ["GOMP_parallel", "GOMP_barrier", "omp_get_thread_num"];
        assert_eq!(kind("/w/libgomp-a34b3233.so.1", &gnu), Some(Kind::Gnu));
        assert_eq!(kind("/w/anything.so", &gnu), Some(Kind::Gnu));
        assert_eq!(kind("/l/libgomp.so.1", &[&gnu[..], &["__kmpc_fork_call"]].concat()), Some(Kind::Llvm));
        assert_eq!(kind("/l/libiomp5.so", &["__kmpc_fork_call"]), Some(Kind::Intel));
        assert_eq!(kind("/l/libora.so", &["GOMP_parallel", "GOMP_barrier", "__omp_collector_api"]), None);
        assert_eq!(kind("/l/libmine.so", &["GOMP_parallel"]), None);
    }
}
