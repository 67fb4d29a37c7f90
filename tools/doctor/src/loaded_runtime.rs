//! The runtime that `libora.so` loads for a program that is linked to `libora.so` and, because of that, not to a
//! runtime.

use std::path::Path;

use super::findings::Findings;
use super::object::Object;
use linking::image::Image;
use linking::scope;

/// Adds that runtime if the library would load it.
pub(crate) fn by_library(image: &Image, objects: &mut Vec<Object>, findings: &mut Findings) {
    let linked = |image: &Image| {
        image.needed.iter().any(|name| name.starts_with("libora.so")) && (image.calls("GOMP_") || image.calls("omp_"))
    };
    let is_linked = linked(image) || objects.iter().any(|object| linked(&object.image));
    if !is_linked || objects.iter().any(|object| object.runtime.is_some()) {
        return;
    }
    if let Some(runtime) = scope::file_of(Path::new("libgomp.so.1")).and_then(|file| Object::read(&file)) {
        findings.fact(
            "linked",
            "to libora.so and to no OpenMP runtime: libora.so loads libgomp.so.1 when the program starts",
        );
        objects.push(runtime);
    }
}
