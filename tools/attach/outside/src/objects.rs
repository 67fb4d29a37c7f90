//! Loaded objects of a process: files that are mapped with code.

use std::path::{Path, PathBuf};

use crate::mapped::Mapped;

/// A loaded object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its path, as the process sees it.
    pub path: PathBuf,
    /// True if the file has been deleted.
    pub deleted: bool,
    /// Device of the file: its major and minor number.
    pub device: (u32, u32),
    /// Number of the file.
    pub inode: u64,
    /// Address of the file's first byte.
    pub start: u64,
    /// Address after its last mapping.
    pub end: u64,
}

impl Object {
    /// True if it is this file. File systems without a device of their own (overlayfs, btrfs) may give another one than the mapping has.
    pub fn is_file(&self, device: (u32, u32), inode: u64) -> bool {
        self.inode == inode && (self.device == device || device.0 == 0 || self.device.0 == 0)
    }

    /// True if it contains an address.
    pub fn holds(&self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }

    /// Name of the file.
    pub fn name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// True for a file of this name, or of one followed by a dot or a dash: a version, or a hash.
    pub fn is(&self, name: &str) -> bool {
        // A memory file appears as `memfd:NAME`.
        let own = self.name().trim_start_matches("memfd:");
        own.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
    }

    /// True for glibc's own objects.
    pub fn is_c_library(&self) -> bool {
        ["libc.so", "libc-2", "libpthread.so", "libpthread-2", "libdl.so", "libdl-2"]
            .into_iter()
            .any(|name| self.name().starts_with(name))
    }

    /// True for a dynamic linker.
    pub fn is_linker(&self) -> bool {
        self.name().starts_with("ld-linux") || self.name().starts_with("ld-2") || self.name().starts_with("ld64")
    }
}

/// The objects among the mappings of a process, in the order of their addresses.
pub fn of(mappings: &[Mapped]) -> Vec<Object> {
    let mut objects: Vec<Object> = Vec::new();
    for mapping in mappings.iter().filter(|mapping| mapping.inode != 0 && mapping.path.starts_with(Path::new("/"))) {
        match objects.last_mut() {
            Some(last)
                if last.path == mapping.path && last.is_file(mapping.device, mapping.inode) && mapping.offset != 0 =>
            {
                last.end = mapping.end;
            }
            _ => objects.push(Object {
                path: mapping.path.clone(),
                deleted: mapping.deleted,
                device: mapping.device,
                inode: mapping.inode,
                start: mapping.start,
                end: mapping.end,
            }),
        }
    }
    // Mappings are in the order of their addresses, and there may be tens of thousands.
    objects.retain(|object| {
        let first = mappings.partition_point(|mapping| mapping.start < object.start);
        let own = mappings.iter().skip(first).take_while(|mapping| object.holds(mapping.start));
        own.into_iter().any(|mapping| mapping.executable)
    });
    objects
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_of_one_file_are_one_object() {
        let lines = "1000-2000 r--p 00000000 08:01 9 /l/libgomp.so.1.0.0\n2000-3000 r-xp 00001000 08:01 9 /l/libgomp.so.1.0.0\n\
                     4000-5000 r--p 00000000 08:01 7 /usr/locale\n6000-7000 r-xp 00000000 00:00 0 [vdso]\n\
                     8000-9000 r-xp 00000000 08:01 8 /memfd:libora.so (deleted)";
        let mappings: Vec<_> = lines.lines().filter_map(|line| Mapped::of(line.as_bytes())).collect();
        let objects = of(&mappings);
        let names: Vec<_> = objects.iter().map(|object| (object.name(), object.start, object.end)).collect();
        assert_eq!(names, [("libgomp.so.1.0.0", 0x1000, 0x3000), ("memfd:libora.so", 0x8000, 0x9000)]);
        let is_first = |device, inode| objects[0].is_file(device, inode);
        assert!(is_first((8, 1), 9) && !is_first((8, 2), 9) && !is_first((8, 1), 7));
        assert!(is_first((0, 45), 9), "of an overlay");
        assert!(objects[0].is("libgomp") && objects[1].is("libora.so") && !objects[0].is("libgo"));
    }
}
