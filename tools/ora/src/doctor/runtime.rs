//! Classification of OpenMP runtimes by their exported symbols, and the service that each one gets.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::findings::{Effect, Findings};
use crate::image::{Image, texts_in};
use terminal::printable::Shown;

/// Family of an OpenMP runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Kind {
    #[serde(rename = "libgomp")]
    Gnu,
    #[serde(rename = "libomp")]
    Llvm,
    #[serde(rename = "libiomp5")]
    Intel,
}

/// Service that a runtime gets from the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Service {
    /// A runtime adapter reports it.
    Reported,
    /// It runs undisturbed, and none of its events is reported.
    Undisturbed,
    /// It is part of a program or library, so its calls can't be intercepted.
    BuiltIn,
    /// It is part of a program or library that OPARI has instrumented: only OPARI's calls are reported.
    Instrumented,
}

/// Number of libgomps loaded later than the program that the adapter serves at a time.
const SERVED_AT_A_TIME: usize = 7;

/// Says so where a process has more libgomps than are served. `private`: those that it did not start with.
pub(super) fn too_many(private: usize, findings: &mut Findings) {
    if private > SERVED_AT_A_TIME && !findings.has("private_runtime") {
        findings.likely(
            "private_runtime",
            Effect::HidesPart,
            format!("{private} libgomps were loaded by libraries: {SERVED_AT_A_TIME} are served at a time, the others called directly"),
            "let libraries share one: start the program with LD_PRELOAD=libgomp.so.1, too",
        );
    }
}

/// Adds the reason if a late runtime has found another tool than the library.
pub(super) fn has_other_tool(kind: Kind, tool: &Path, effect: Effect, findings: &mut Findings) {
    findings.reason(
        "tool_before_library",
        effect,
        format!(
            "{} was loaded after the program's start, and uses the tool in {} as its own: its events don't reach libora.so",
            kind.name(),
            tool.shown()
        ),
        "link the program with that runtime, so that it is loaded at the start; or take the tool out of the program",
    );
}

/// A runtime that the program has, or would have.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Runtime {
    pub(super) kind: Kind,
    pub(super) path: PathBuf,
    pub(super) service: Service,
    /// Name of the runtime adapter; `None` where nothing is reported.
    pub(super) host: Option<&'static str>,
}

impl Runtime {
    pub(super) fn new(kind: Kind, path: &Path, service: Service) -> Self {
        let host = (service == Service::Reported).then_some(kind.host());
        Self { kind, path: path.to_owned(), service, host }
    }
}

impl Kind {
    /// The runtime that a shared library is, if it is one.
    pub(super) fn of(path: &Path, image: &Image) -> Option<Self> {
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
    pub(super) fn host(self) -> &'static str {
        if self.has_ompt() { "ompt" } else { "gomp" }
    }

    /// True if the runtime has OMPT itself, so that it reports to its tool: the library.
    pub(super) fn has_ompt(self) -> bool {
        self != Self::Gnu
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Gnu => "GNU libgomp",
            Self::Llvm => "LLVM libomp",
            Self::Intel => "Intel libiomp5",
        }
    }
}

impl Runtime {
    /// Text for the service. `works`: nothing prevents the reports.
    pub(super) fn words(&self, works: bool) -> String {
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

/// Says so where `OMP_TOOL` keeps a runtime that has OMPT from asking for its tool.
pub(super) fn silenced(kind: Kind, path: &Path, effect: Effect, findings: &mut Findings) {
    if !findings.has("omp_tool_disabled") {
        findings.reason(
            "omp_tool_disabled",
            effect,
            format!(
                "OMP_TOOL=disabled is set: {} ({}) asks for no tool then, and libora.so gets its events as its tool only",
                kind.name(),
                path.shown()
            ),
            "unset it: `env -u OMP_TOOL ora stat -- PROGRAM`",
        );
    }
}

/// Evidence of a runtime that is linked into a program or library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    /// Its functions are in the symbol table.
    Symbols,
    /// Its messages are in a stripped file.
    Texts,
}

/// Names that every libgomp has whole. Since gcc 13 those of OpenMP's own variables lack their `OMP_`.
const GNU_TEXTS: [&str; 3] = ["GOMP_SPINCOUNT", "GOMP_STACKSIZE", "GOMP_CPU_AFFINITY"];
const LLVM_TEXTS: [&str; 3] = ["KMP_BLOCKTIME", "KMP_AFFINITY", "KMP_LIBRARY"];

/// A runtime that was linked into this program or library, not being one itself.
pub(super) fn built_in(path: &Path, image: &Image) -> Option<(Kind, Evidence)> {
    // Internal functions: a program that only defines the entry points has none.
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

/// Libraries of the C and C++ implementation, too many and too large to be searched each time.
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
