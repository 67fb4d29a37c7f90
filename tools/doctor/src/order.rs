//! Symbol order: libora.so must provide the first definition of the entry points, and a sanitizer may have to come
//! before it.

use std::env;
use std::path::Path;

use super::findings::{Effect, Findings};
use super::object::Object;
use super::runtime;
use super::setting::Setting;
use linking::image::Image;
use terminal::printable::Shown;

/// Adds the reasons why a call of the program would not reach libora.so first.
pub(crate) fn look(path: &Path, image: &Image, objects: &[Object], setting: &Setting, findings: &mut Findings) {
    sanitizer(objects, findings);
    own_entries(path, image, objects, findings);
    if setting.library.is_none() {
        return;
    }
    let Some(library) = objects.iter().find(|object| object.is_library()) else {
        if !findings.has("preload_refused") && !findings.has("preload_unusable") && !objects.is_empty() {
            findings.reason(
                "not_preloaded",
                Effect::HidesAll,
                "the dynamic linker does not load libora.so with the program",
                "start the program by hand with LD_PRELOAD=/path/to/libora.so, and read what the dynamic linker says",
            );
        }
        return;
    };
    let entries = || library.image.exports.iter().filter(|name| name.starts_with("GOMP_"));
    // A runtime with OMPT reports to the library by itself, so it may come first.
    let has_ompt = |object: &&Object| object.runtime.is_some_and(runtime::Kind::has_ompt);
    let before = objects.iter().take_while(|object| object.path != library.path).filter(|object| !has_ompt(object));
    for object in before {
        if let Some(name) = entries().find(|name| object.image.offers(name)) {
            findings.reason(
                "not_first",
                Effect::HidesAll,
                format!("{} comes before libora.so and also has {name}: calls go there", object.path.shown()),
                "remove it from LD_PRELOAD (and /etc/ld.so.preload)",
            );
        }
    }
    if !findings.has("not_first") && !findings.has("own_entries") {
        let says = format!("{}: the first definition of {} GOMP functions", library.path.shown(), entries().count());
        findings.fact("library", says);
    }
}

/// Adds the reasons for entry points that are defined by the program or by a library other than a runtime.
fn own_entries(path: &Path, image: &Image, objects: &[Object], findings: &mut Findings) {
    let entry = |image: &Image| image.defined.iter().find(|name| name.starts_with("GOMP_")).cloned();
    if runtime::built_in(path, image).is_none()
        && let Some(name) = entry(image)
    {
        findings.reason(
            "own_entries",
            Effect::HidesAll,
            format!("the program defines {name} itself: its own functions come before every library's"),
            "remove or rename the program's own GOMP functions",
        );
    }
    let others = objects.iter().filter(|object| object.runtime.is_none() && !object.ours);
    for object in others.filter(|object| runtime::built_in(&object.path, &object.image).is_none()) {
        let Some(name) = entry(&object.image) else { continue };
        let how = if object.image.symbolic || !object.image.offers(&name) {
            "and binds its own calls to it (-Bsymbolic, or hidden)"
        } else {
            "and may forward calls that were reported already"
        };
        findings.reason(
            if object.image.symbolic { "symbolic" } else { "library_entries" },
            Effect::HidesPart,
            format!("{} defines {name} itself, {how}", object.path.shown()),
            "link that library without -Bsymbolic and without its own GOMP functions",
        );
    }
}

fn sanitizer(objects: &[Object], findings: &mut Findings) {
    let Some(place) = objects.iter().position(|object| named(&object.path, "libasan")) else { return };
    let unchecked = env::var("ASAN_OPTIONS").is_ok_and(|options| {
        ["verify_asan_link_order=0", "verify_asan_link_order=false"].iter().any(|option| options.contains(option))
    });
    if unchecked {
        findings.fact("sanitizer", "AddressSanitizer does not insist on being first (verify_asan_link_order=0)");
        return;
    }
    if !objects.iter().take(place).any(|object| object.ours) {
        findings.fact("sanitizer", "AddressSanitizer comes first, as it requires");
        return;
    }
    let path = objects.get(place).map(|object| object.path.shown().to_string()).unwrap_or_default();
    findings.reason(
        "sanitizer_first",
        Effect::HidesAll,
        "AddressSanitizer must be the first library, and stops the program when libora.so is preloaded before it",
        format!("preload both, ora keeps that order: `LD_PRELOAD={path} ora stat -- PROGRAM`"),
    );
}

fn named(path: &Path, begin: &str) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(begin))
}
