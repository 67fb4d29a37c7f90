//! Parser of the dynamic linker's log (`LD_DEBUG=files,bindings`): loaded files and symbol bindings of a run.
#![cfg_attr(
    not(test),
    expect(
        clippy::disallowed_methods,
        reason = "in a folder that `ora` has made for itself, which no other user may enter"
    )
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The log of one process. A process that has executed another program has one log for both.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) pid: u32,
    /// Libraries that were initialized or took part in a binding.
    pub(crate) objects: BTreeSet<PathBuf>,
    /// Importer and provider, with the functions.
    pub(crate) bound: BTreeMap<(PathBuf, PathBuf), BTreeSet<String>>,
}

impl Log {
    /// All logs in a folder; the dynamic linker appends the process's number to their names.
    pub(crate) fn all(folder: &Path, wanted: &BTreeSet<String>) -> Vec<Self> {
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let mut logs: Vec<Self> = entries
            .filter_map(|entry| {
                let pid = entry.path().extension()?.to_string_lossy().parse().ok()?;
                let mut log = Self { pid, ..Self::default() };
                let lines = BufReader::new(File::open(entry.path()).ok()?).split(b'\n').map_while(Result::ok);
                lines.for_each(|line| log.read(&String::from_utf8_lossy(&line), wanted));
                Some(log)
            })
            .collect();
        logs.sort_by_key(|log| log.pid);
        logs
    }

    fn read(&mut self, line: &str, wanted: &BTreeSet<String>) {
        if let Some((_, path)) = line.split_once("calling init: ") {
            self.objects.insert(resolved(path.trim()));
        } else if let Some((importer, provider, name)) = binding(line)
            && wanted.contains(name)
        {
            let pair = (resolved(importer), resolved(provider));
            self.objects.insert(pair.1.clone());
            self.bound.entry(pair).or_default().insert(name.to_owned());
        }
    }
}

/// The path of a library, with links resolved for our own libraries, which the dynamic linker knows by the paths that
/// their stand-ins contain.
fn resolved(path: &str) -> PathBuf {
    let given = PathBuf::from(path);
    if path.contains("/../") { given.canonicalize().unwrap_or(given) } else { given }
}

/// Importer, provider and name in ``binding file A [0] to B [0]: normal symbol `N' [V]``.
fn binding(line: &str) -> Option<(&str, &str, &str)> {
    let (_, rest) = line.split_once("binding file ")?;
    let (files, symbol) = rest.split_once(" symbol `")?;
    let (importer, provider) = files.split_once(" to ")?;
    let path = |text: &'_ str| text.rfind(" [").unwrap_or(text.len());
    Some((importer.get(..path(importer))?, provider.get(..path(provider))?, symbol.split('\'').next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linkers_words_are_understood() {
        let line = "      9974:\tbinding file ./a [0] to /o/libora.so [0]: normal symbol `GOMP_parallel' [GOMP_4.0]";
        assert_eq!(binding(line), Some(("./a", "/o/libora.so", "GOMP_parallel")));
        assert_eq!(binding("      9974:\tcalling init: /l/libc.so.6"), None);

        let mut log = Log::default();
        let wanted = BTreeSet::from(["GOMP_parallel".to_owned()]);
        log.read(line, &wanted);
        log.read(&line.replace("GOMP_parallel", "malloc"), &wanted);
        log.read("      9974:\tcalling init: /l/libgomp.so.1", &wanted);
        assert_eq!(log.bound.len(), 1);
        assert_eq!(log.objects, [PathBuf::from("/l/libgomp.so.1"), "/o/libora.so".into()].into());
    }
}
