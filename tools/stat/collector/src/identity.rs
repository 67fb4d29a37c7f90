//! Identity of this process: its command line, and the OpenMP runtimes in it.
//!
//! Read from `/proc` instead of asking the dynamic linker, whose lock another thread may hold while it waits for this
//! one. Allocates nothing.

use std::fs::File;
use std::io::Read;

use system::maps::{any_own_mapping, own_mapping_at};

use crate::symbols;
use stat_layout::process_table::{ProcessSlot, TEXT, flag, runtime};
use std::sync::atomic::Ordering::Relaxed;

/// Enters this process's command line.
pub(crate) fn enter_command(slot: &ProcessSlot) {
    let mut text = [0; TEXT];
    let Ok(mut file) = File::open("/proc/thread-self/cmdline") else { return };
    if let Ok(length) = file.read(&mut text) {
        slot.command.set(text.get(..length).unwrap_or_default());
    }
}

/// Enters the runtimes that are loaded now, unless one was found before.
pub(crate) fn enter_runtimes(slot: &ProcessSlot) {
    if slot.runtimes.load(Relaxed) & !runtime::OWN != 0 {
        return;
    }
    let (mut runtimes, mut c_libraries) = (0, 0);
    any_own_mapping(|mapping| {
        c_libraries += u32::from(mapping.is_executable && is_c_library(mapping.path));
        let found = runtime_at(mapping.path);
        if runtimes == 0 && found != 0 {
            slot.runtime_path.set(mapping.path);
        }
        runtimes |= found;
        false
    });
    let own = symbols::own_runtime();
    if own != 0 {
        if runtimes == 0 {
            own_mapping_at(own, |mapping| slot.runtime_path.set(mapping.path));
        }
        runtimes |= runtime::OWN;
    }
    slot.runtimes.fetch_or(runtimes, Relaxed);
    if c_libraries > 1 {
        slot.flags.fetch_or(flag::NAMESPACES, Relaxed);
    }
}

fn is_c_library(path: &[u8]) -> bool {
    path.rsplit(|b| *b == b'/').next().is_some_and(|name| name.starts_with(b"libc.so."))
}

/// The kind of runtime that a path names: a bit of [`runtime`], or 0.
fn runtime_at(path: &[u8]) -> u32 {
    let name = path.rsplit(|b| *b == b'/').next().filter(|_| path.starts_with(b"/")).unwrap_or_default();
    let known = [(&b"libgomp"[..], runtime::GNU), (&b"libomp"[..], runtime::LLVM), (&b"libiomp5"[..], runtime::INTEL)];
    let found = known.into_iter().find(|(begin, _)| {
        // `libgomp.so.1`, or `libgomp-a34b3233.so.1` in a Python wheel, but not `libomptarget.so`.
        name.strip_prefix(*begin).is_some_and(|rest| matches!(rest.first(), Some(b'.' | b'-')))
    });
    found.map_or(0, |(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtimes_are_known_by_their_file_names() {
        for (path, kind) in [
            ("/usr/lib/libgomp.so.1.0.0", runtime::GNU),
            ("/w/libgomp-a34b3233.so.1", runtime::GNU),
            ("/usr/lib/llvm-14/lib/libomp.so.5", runtime::LLVM),
            ("/o/libiomp5.so", runtime::INTEL),
            ("/usr/lib/libomptarget.so.14", 0),
            ("/libgomp.d/libc.so.6", 0),
            ("[heap]", 0),
        ] {
            assert_eq!(runtime_at(path.as_bytes()), kind, "{path}");
        }
    }
}
