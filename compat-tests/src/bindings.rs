//! Symbol bindings: the runtime that each OpenMP call of each object leads to, as the dynamic linker resolves it without the library and
//! with it.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::forge::{Forge, Language};
use crate::run::{Launch, Outcome};

/// Importer, function, and the object that defines the function, by file name.
pub type Bindings = BTreeSet<(String, String, String)>;

/// Bindings that the dynamic linker reports to an auditor (rtld-audit(7)): only those of calls, not of addresses in data.
pub fn audited(forge: &Forge, launch: Launch) -> (Bindings, Outcome) {
    let auditor = forge.build(Language::C11, &["bindings/audit.c"], &["-O2", "-g", "-shared", "-fPIC"], ".so");
    read(forge, "audit", |path| launch.env("LD_AUDIT", &auditor.to_string_lossy()).env("ORA_TEST_BINDINGS", path))
}

/// Bindings in all GOT slots and data that the dynamic linker fills with addresses of functions.
pub fn in_place(forge: &Forge, launch: Launch) -> (Bindings, Outcome) {
    let reader = forge.build(Language::C11, &["bindings/places.c"], &["-O2", "-g", "-shared", "-fPIC"], ".so");
    read(forge, "places", |path| launch.with_preload(&reader).env("ORA_TEST_BINDINGS", path))
}

/// Runs a program with `LD_BIND_NOW`: every call is bound when an object is loaded, so that none is missing.
fn read(forge: &Forge, name: &str, launch: impl FnOnce(&str) -> Launch) -> (Bindings, Outcome) {
    let path = scratch(forge, name);
    let outcome = launch(&path.to_string_lossy()).env("LD_BIND_NOW", "1").run().succeeded();
    let text = fs::read_to_string(&path);
    let text = text.unwrap_or_else(|e| panic!("{}: {e}\n{}", path.display(), outcome.describe()));
    let _ = fs::remove_file(&path);
    let words = |line: &str| {
        let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        let [importer, name, provider] = words.try_into().unwrap_or_else(|words| panic!("not a binding: {words:?}"));
        (importer, name, provider)
    };
    (text.lines().map(words).collect(), outcome)
}

fn scratch(forge: &Forge, name: &str) -> PathBuf {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    forge.dir().join(format!("{name}-{}-{number}", std::process::id()))
}
