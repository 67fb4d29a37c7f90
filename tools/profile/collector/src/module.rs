//! A piece of code that is mapped into this process.

use profile_format::{Object, Record};

use crate::file::FILE;
use crate::text::Text;
use ::system::maps::Mapping;

/// Maximum length of a build id, in bytes.
const ID: usize = 32;

/// A mapped piece of code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Module {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Load bias: added to the file's addresses.
    pub(crate) bias: u64,
    pub(crate) rules: Option<Rules<'static>>,
    pub(crate) offset: u64,
    inode: u64,
    since_ns: u64,
    pub(crate) path: Option<&'static [u8]>,
    pub(crate) build_id: Text<ID>,
}

/// A module's unwinding rules: the segment that has `.eh_frame_hdr` and `.eh_frame`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules<'a> {
    /// The segment's address in the file.
    pub(crate) address: u64,
    pub(crate) bytes: &'a [u8],
    /// The index's address in the file.
    pub(crate) index: u64,
}

impl Module {
    /// The module of a mapping; its path must not be freed.
    pub(crate) fn new(mapping: &Mapping, path: Option<&'static [u8]>, since_ns: u64) -> Self {
        Self {
            start: mapping.start,
            end: mapping.end,
            bias: mapping.start.wrapping_sub(mapping.offset),
            offset: mapping.offset,
            inode: mapping.inode,
            since_ns,
            path,
            rules: None,
            build_id: Text::new(),
        }
    }

    /// True if `mapping` is this module, even if its file has been deleted meanwhile.
    pub(crate) fn is(&self, mapping: &Mapping) -> bool {
        let place = (mapping.start, mapping.end, mapping.offset, mapping.inode);
        (self.start, self.end, self.offset, self.inode) == place
            && self.path.is_some_and(|path| path == mapping.path || Some(path) == mapping.deleted())
    }

    /// Writes the module to the file.
    pub(crate) fn write(&self) {
        let build_id = self.build_id.bytes();
        let (start, end, bias, since_ns) = (self.start, self.end, self.bias, self.since_ns);
        let path = self.path.unwrap_or_default();
        FILE.write(Record::Object(Object { start, end, bias, since_ns, build_id, path }));
    }
}
