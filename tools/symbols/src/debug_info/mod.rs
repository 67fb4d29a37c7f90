//! Debug information of a file, and of the files that it refers to: a package (`.dwp`), split units (`.dwo`), and the file that
//! several share (`dwz`).
//!
//! All of them come from outside: they are opened by [`untrusted::content`], and their content is read with bounds
//! ([`section`]).

mod abbreviations;
mod file;
mod section;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use addr2line::gimli::{self, Reader, RunTimeEndian};
use addr2line::{Context, FrameIter, LookupContinuation, LookupResult, SplitDwarfLoad};

use self::file::ObjectBytes;
pub use self::file::section_data;
pub(super) use self::section::Section;
use self::section::with_bounded_stack;

type Split = Option<Arc<gimli::Dwarf<Section>>>;

/// Functions, source files and lines at addresses of one file.
pub(crate) struct DebugInfo {
    sections: gimli::DwarfSections<Section>,
    context: Context<Section>,
    path: PathBuf,
    package: OnceCell<Option<gimli::DwarfPackage<Section>>>,
}

impl DebugInfo {
    /// Opens a file, and the one that it shares information with. `None` if the file can't be read.
    pub(crate) fn open(path: &Path, shared: Option<&Path>) -> Option<Self> {
        let object = ObjectBytes::open(path)?;
        let sections = gimli::DwarfSections::load(|id| object.section(id.name())).ok()?;
        let mut dwarf = sections.borrow(Section::clone);
        if let Some(shared) = shared.and_then(ObjectBytes::open) {
            dwarf.load_sup(|id| shared.section(id.name())).ok()?;
        }
        let is_bounded = abbreviations::are_bounded(&dwarf) && dwarf.sup().is_none_or(abbreviations::are_bounded);
        if !is_bounded {
            return None;
        }
        let context = with_bounded_stack(|| {
            dwarf.populate_abbreviations_cache(gimli::AbbreviationsCacheStrategy::Duplicates);
            Context::from_dwarf(dwarf).ok()
        })?;
        Some(Self { sections, context, path: path.to_owned(), package: OnceCell::new() })
    }

    /// The sections of the file itself.
    pub(super) fn sections(&self) -> gimli::Dwarf<Section> {
        self.sections.borrow(Section::clone)
    }

    /// The functions at an address, the innermost inlined one first.
    pub(crate) fn frames(&self, address: u64) -> Option<FrameIter<'_, impl Reader>> {
        with_bounded_stack(|| {
            let mut found = self.context.find_frames(address);
            loop {
                match found {
                    LookupResult::Output(frames) => return frames.ok(),
                    LookupResult::Load { load, continuation } => found = continuation.resume(self.split(&load)),
                }
            }
        })
    }

    /// File, line and column of an instruction, and the address of the first one of their row.
    pub(crate) fn position(&self, address: u64) -> Option<(String, u32, u32, u64)> {
        let range = || self.context.find_location_range(address, address + 1).ok()?.next();
        let (begin, _, location) = with_bounded_stack(range)?;
        let line = location.line.filter(|line| *line > 0)?;
        Some((location.file?.to_owned(), line, location.column.unwrap_or(0), begin))
    }

    /// The information of a split unit, from the package or from a file of its own.
    fn split(&self, wanted: &SplitDwarfLoad<Section>) -> Split {
        let package = self.package.get_or_init(|| self.open_package());
        if let Some(unit) = package.as_ref().and_then(|package| package.find_cu(wanted.dwo_id, &wanted.parent).ok()?) {
            return shared(unit);
        }
        let append = |path: &mut PathBuf, part: &Section| -> Option<()> {
            path.push(Path::new(OsStr::from_bytes(&part.to_slice().ok()?)));
            Some(())
        };
        let mut path = PathBuf::new();
        if let Some(folder) = &wanted.comp_dir {
            append(&mut path, folder)?;
        }
        append(&mut path, wanted.path.as_ref()?)?;
        let object = ObjectBytes::open(&path)?;
        let mut dwarf = gimli::Dwarf::load(|id| object.split_section(id)).ok()?;
        let header = dwarf.units().next().ok()??;
        if dwarf.unit(header).ok()?.dwo_id != Some(wanted.dwo_id) {
            return None;
        }
        dwarf.make_dwo(&wanted.parent);
        shared(dwarf)
    }

    fn open_package(&self) -> Option<gimli::DwarfPackage<Section>> {
        let mut path = self.path.clone().into_os_string();
        path.push(".dwp");
        let object = ObjectBytes::open(Path::new(&path))?;
        let load = |id: gimli::SectionId| object.split_section(id);
        gimli::DwarfPackage::load(load, Section::empty(RunTimeEndian::default())).ok()
    }
}

/// A split unit in the form that the library expects. `None` if reading it has no bound.
#[expect(clippy::arc_with_non_send_sync, reason = "addr2line shares units by `Arc`; this one stays on its thread")]
fn shared(dwarf: gimli::Dwarf<Section>) -> Split {
    abbreviations::are_bounded(&dwarf).then(|| Arc::new(dwarf))
}
