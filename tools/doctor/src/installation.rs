//! Capabilities of this installation of `ora` on this machine.

use std::path::Path;

use super::events;
use super::findings::{Effect, Findings, Subject};
use super::object::Object;
use super::runtime::{Runtime, Service};
use super::setting::{Installed, Setting};
use linking::image::Image;
use linking::scope;
use terminal::printable::Shown;

/// Examines the libraries of this installation and the runtimes of this machine.
pub fn examine(installed: &Installed) -> Findings {
    let mut findings = Findings::new(Subject::Installation, "this installation".to_owned());
    let setting = Setting::look(installed, &[], &mut findings);
    if let Some(library) = &setting.library {
        loads(library, &mut findings);
    }
    if let Ok(collectors) = &installed.collectors {
        findings.fact("collectors", collectors.shown().to_string());
    }
    for (name, path) in scope::cache() {
        if symbols::runtime(&name).is_none() {
            continue;
        }
        let Some(kind) = Object::read(&path).and_then(|object| object.runtime) else { continue };
        findings.runtimes.push(Runtime::new(kind, &path, Service::Reported));
    }
    findings.events = events::of(&findings.runtimes, &std::collections::BTreeSet::new());
    findings.events.iter_mut().for_each(|event| event.used = None);
    if findings.runtimes.is_empty() {
        findings
            .fact("runtimes", "no OpenMP runtime is in a folder that ldconfig knows: programs must bring their own");
    }
    findings
}

/// Checks that this machine's dynamic linker can load the library, and adds the reason if it can't.
fn loads(library: &Path, findings: &mut Findings) {
    let image = match Image::read(library) {
        Ok(image) if image.offers("__omp_collector_api") => image,
        _ => {
            findings.reason(
                "library_missing",
                Effect::HidesAll,
                format!("{} is not libora: it has no __omp_collector_api", library.shown()),
                "build the project again with `cargo build --release`",
            );
            return;
        }
    };
    let scope = scope::of(library, &image, &[]);
    let errors: Vec<String> = scope.missing.iter().map(|name| format!("{name} was not found")).collect();
    let errors = [errors, scope.complaints].concat();
    if errors.is_empty() {
        let count = image.exports.iter().filter(|name| name.starts_with("GOMP_")).count();
        findings.fact("library", format!("{}: {count} GOMP functions, __omp_collector_api", library.shown()));
    } else {
        findings.reason(
            "preload_refused",
            Effect::HidesAll,
            format!("this machine's dynamic linker refuses {}: {}", library.shown(), errors.join("; ")),
            "build the project on this machine with `cargo build --release`",
        );
    }
}
