//! Loaded objects: who owns their code, and the names in their files.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use attach_outside::objects::Object;
use attach_outside::process::Process;
use attach_outside::unwind::Stacks;
use profile_format::Object as MappedObject;
use symbols::{Files, ProcessNames};
use untrusted::descriptor::OtherProcess;

use crate::model::Part;

/// Owner of an object's code.
pub(crate) fn part(object: &Object) -> Part {
    let is = |names: &[&str]| names.iter().any(|name| object.is(name));
    if is(&["libgomp", "libomp", "libiomp5"]) {
        Part::Runtime
    } else if object.name().trim_start_matches("memfd:").starts_with("libora") {
        Part::Interface
    } else if object.is_c_library() || object.is_linker() {
        Part::System
    } else {
        Part::Program
    }
}

/// Files of the objects; empty if they are gone.
pub(crate) fn paths(process: Process, objects: &[Object]) -> Vec<PathBuf> {
    let other = OtherProcess::open(process.pid);
    let path = |object: &Object| -> PathBuf {
        // Addresses are meaningless for another file.
        let is_it = |about: io::Result<Metadata>| about.is_ok_and(|about| about.ino() == object.inode);
        // In the process's root a link would lead to one of our files.
        let inside = || other.as_ref().ok()?.file(&object.path).ok();
        if object.deleted {
            PathBuf::new()
        } else if is_it(fs::metadata(&object.path)) {
            object.path.clone()
        } else if inside().is_some_and(|file| is_it(file.metadata())) {
            process.path(&object.path)
        } else {
            PathBuf::new()
        }
    };
    objects.iter().map(path).collect()
}

pub(crate) fn names(stacks: &Stacks, paths: &[PathBuf], files: &Files) -> ProcessNames {
    let mapped = stacks.objects.iter().zip(paths).enumerate().map(|(number, (object, path))| MappedObject {
        start: object.start,
        end: object.end,
        bias: stacks.bias(number).unwrap_or(object.start),
        since_ns: 0,
        build_id: &[],
        path: path.as_os_str().as_encoded_bytes(),
    });
    ProcessNames::new(files, mapped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_have_owners() {
        let owner = |path: &str| {
            part(&Object { path: path.into(), deleted: false, device: (8, 1), inode: 1, start: 0, end: 1 })
        };
        assert_eq!(owner("/l/libgomp.so.1.0.0"), Part::Runtime);
        assert_eq!(owner("/l/libora.so"), Part::Interface);
        assert_eq!(owner("/l/libc.so.6"), Part::System);
        assert_eq!(owner("/l/libgfortran.so.5"), Part::Program);
    }
}
