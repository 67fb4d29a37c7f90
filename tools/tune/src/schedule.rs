//! Search for loops whose schedule depends on `OMP_SCHEDULE`.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use advice::RuntimeKind;
use linking::image::Image;
use linking::{scope, search_path};

use crate::seen::Seen;

/// Variables that change where the dynamic linker finds libraries.
const VARIABLES: [&str; 2] = ["LD_LIBRARY_PATH", "LD_PRELOAD"];

/// Use of `OMP_SCHEDULE`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RuntimeSchedule {
    /// A loop has, or may have, `schedule(runtime)`.
    Possible,
    /// No file that the program loads at its start has such a loop.
    #[default]
    Absent,
    /// The program may load other files while it runs.
    Unknown,
}

impl RuntimeSchedule {
    /// Examines the program, the libraries that it needs, the files with bodies of its regions, and their directives.
    pub(crate) fn of(seen: &Seen, program: &OsStr) -> Self {
        let is_written = |region: &advice::Region| {
            let schedule = region.directive.as_ref().and_then(|it| it.schedule.as_deref());
            schedule.is_some_and(|kind| kind.to_ascii_lowercase().contains("runtime"))
        };
        if seen.facts.regions.iter().any(is_written) {
            return Self::Possible;
        }
        let path = search_path::file(Path::new(program)).unwrap_or_default();
        let image = Image::read(&path).unwrap_or_default();
        let bodies = seen.regions.iter().filter_map(|region| Some(PathBuf::from(&region.body.as_ref()?.0)));
        let variables = VARIABLES.into_iter().filter_map(|name| Some((name, env::var_os(name)?)));
        let scope = scope::of_process(&path, &image, &variables.collect::<Vec<_>>());
        let files: BTreeSet<PathBuf> =
            scope.objects.into_iter().chain(bodies).filter(|file| !is_runtime(file)).collect();
        let images = files.iter().filter_map(|file| Image::read(file).ok());
        let mut is_complete = image.interpreter.is_some() && scope.missing.is_empty();
        for image in std::iter::once(image).chain(images) {
            if image.imports.iter().any(|name| may_ask(name)) {
                return Self::Possible;
            }
            is_complete &= !image.imports.contains("dlopen");
        }
        if is_complete { Self::Absent } else { Self::Unknown }
    }
}

/// True for a function by which a loop may ask for its schedule. Code of gcc calls others for each kind; code of clang passes the kind.
fn may_ask(name: &str) -> bool {
    name.starts_with("GOMP_") && name.contains("loop") && name.contains("runtime")
        || name.starts_with("__kmpc_dispatch_init")
}

/// True for the files of OpenMP runtimes, which load others for accelerators.
fn is_runtime(file: &Path) -> bool {
    let name = file.file_name().and_then(OsStr::to_str).unwrap_or_default();
    name.split('.').next().is_some_and(|name| RuntimeKind::named(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calls_of_both_compilers_are_known() {
        for name in
            ["GOMP_parallel_loop_maybe_nonmonotonic_runtime", "GOMP_loop_runtime_start", "__kmpc_dispatch_init_4"]
        {
            assert!(may_ask(name), "{name}");
        }
        for name in ["GOMP_parallel_loop_dynamic", "__kmpc_for_static_init_4", "GOMP_parallel"] {
            assert!(!may_ask(name), "{name}");
        }
        assert!(is_runtime(Path::new("/usr/lib/libgomp.so.1")) && !is_runtime(Path::new("/usr/lib/libgompy.so")));
    }
}
