//! A file with debug information: its sections, decompressed.

use std::borrow::Cow;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use addr2line::gimli::{self, RunTimeEndian, SectionId};
use object::{CompressionFormat, Object, ObjectSection};
use untrusted::content::Content;
use untrusted::regular::LARGEST_CODE;

use super::section::{Bounded, Section};

/// Bytes of sections that this process may still decompress: a compressed section may claim to have any size.
static UNCOMPRESSED: AtomicU64 = AtomicU64::new(LARGEST_CODE);

/// Bytes of an object file.
pub(super) struct ObjectBytes(Rc<Bounded>);

impl ObjectBytes {
    /// Opens a file. `None` if it isn't a regular file, or not in a format of object files.
    pub(super) fn open(path: &Path) -> Option<Self> {
        let content = Content::of(path, LARGEST_CODE).ok()?;
        object::FileKind::parse(&*content).ok()?;
        Some(Self(Rc::new(Bounded::new(content))))
    }

    fn object(&self) -> Option<object::File<'_>> {
        object::File::parse(self.0.bytes()).ok()
    }

    /// A section by its name; empty if the file doesn't have it.
    pub(super) fn section(&self, name: &str) -> gimli::Result<Section> {
        Ok(self.find(name).unwrap_or_else(|| Section::empty(RunTimeEndian::default())))
    }

    /// A section of a split unit.
    pub(super) fn split_section(&self, id: SectionId) -> gimli::Result<Section> {
        id.dwo_name().map_or_else(|| Ok(Section::empty(RunTimeEndian::default())), |name| self.section(name))
    }

    fn find(&self, name: &str) -> Option<Section> {
        let object = self.object()?;
        let endian = if object.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let section = object.section_by_name(name)?;
        let range = section.compressed_file_range().ok()?;
        if range.format == CompressionFormat::None {
            let start = usize::try_from(range.offset).ok()?;
            let end = start.checked_add(usize::try_from(range.uncompressed_size).ok()?)?;
            return Some(Section::new(&self.0, start, end, endian));
        }
        let bytes = uncompressed(&section)?.into_owned();
        let (bytes, end) = (Content::Copied(bytes), range.uncompressed_size);
        Some(Section::new(&Rc::new(Bounded::new(bytes)), 0, usize::try_from(end).ok()?, endian))
    }
}

/// Content of a section by its name, decompressed; empty if the file doesn't have it, or the bound of this process is
/// reached.
pub fn section_data<'data>(object: &impl Object<'data>, name: &str) -> Cow<'data, [u8]> {
    object.section_by_name(name).and_then(|section| uncompressed(&section)).unwrap_or_default()
}

fn uncompressed<'data>(section: &impl ObjectSection<'data>) -> Option<Cow<'data, [u8]>> {
    let data = section.compressed_data().ok()?;
    if data.format != CompressionFormat::None {
        let size = data.uncompressed_size;
        UNCOMPRESSED.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(size)).ok()?;
    }
    data.decompress().ok()
}
