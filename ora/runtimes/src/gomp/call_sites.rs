//! Calls that gcc's code makes for constructs, in this process, from the table that `ORA_CALL_SITES` names.
//!
//! gcc divides a loop with a static schedule in the code itself, and ends it and other constructs with the call of an explicit barrier. The
//! `ora` command identifies these calls by the files' line tables (`ora-call-sites`), and this library by their return addresses.

use super::named_file;
use ::call_sites::{Kind, MAX_BYTES, Sites, Table};
use std::ffi::CStr;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::sync::OnceLock;
use system::memory::kept;
use system::objects::{Image, any_image, count_at_start};
use system::warning::Warning;
use system::{environment, errno};

/// Largest number of objects with calls of the table.
const MAX_OBJECTS: usize = 64;

/// An object of the table.
struct Loaded {
    addresses: Range<usize>,
    base: usize,
    sites: Sites<'static>,
}

impl Loaded {
    fn kind(&self, address: usize) -> Option<Kind> {
        self.sites.kind(address.wrapping_sub(self.base) as u64)
    }
}

static LOADED: OnceLock<[Option<Loaded>; MAX_OBJECTS]> = OnceLock::new();

/// Reads the table. Called once, while the library is being loaded.
pub(super) fn load() {
    let Some(name) = environment::variable(c"ORA_CALL_SITES").filter(|_| !environment::is_secure()) else { return };
    if name == c"none" {
        return;
    }
    let errno = errno::Errno::save();
    match named_file::open(name).and_then(|(file, length)| content(file, length)).map(Table::of) {
        Some(Ok(table)) => _ = LOADED.set(loaded(table, count_at_start())),
        Some(Err(_)) => ignore(name, b" is ignored: it is damaged, or another version's\n"),
        None => ignore(name, b" is ignored: there is no such file, or it can't be read, or is too long\n"),
    }
    errno.restore();
}

/// Reads the table of an open file, for all objects that are loaded, unless there is one already. One of these objects may be unloaded
/// later: calls of what is loaded in its place are of other addresses.
pub(super) fn read(file: File) {
    if are_known() {
        return;
    }
    let length = file.metadata().map_or(0, |about| about.len());
    if let Some(Ok(table)) = content(file, length).map(Table::of) {
        // Another thread may have been faster.
        let _ = LOADED.set(loaded(table, usize::MAX));
    }
}

/// Says that the file is ignored, unless it is one without a name, which the command has made: that is gone when the command has ended,
/// and a program on another machine has inherited its name at most.
fn ignore(name: &CStr, why: &[u8]) {
    if name.to_bytes().starts_with(b"/proc/") {
        return;
    }
    static IGNORED: Warning = Warning::new();
    IGNORED.say(&[b"ora: ORA_CALL_SITES=", name.to_bytes(), why]);
}

/// A copy of a file: another process may shorten the file itself while it is mapped.
fn content(mut file: File, length: u64) -> Option<&'static [u8]> {
    let length = usize::try_from(length).ok().filter(|length| (1..=MAX_BYTES).contains(length))?;
    let room = kept(length)?;
    file.read_exact(room).ok()?;
    Some(room)
}

/// The objects of the table among the first ones of the process.
fn loaded(table: Table<'static>, first: usize) -> [Option<Loaded>; MAX_OBJECTS] {
    let mut found = [const { None }; MAX_OBJECTS];
    let mut free = found.iter_mut();
    let mut left = first;
    any_image(&mut |image, _| {
        if let Some(sites) = sites_of(table, &image)
            && let Some(place) = free.next()
        {
            *place = Some(Loaded { addresses: image.extent(), base: image.base(), sites });
        }
        left = left.saturating_sub(1);
        left == 0
    });
    found
}

fn sites_of(table: Table<'static>, image: &Image) -> Option<Sites<'static>> {
    let build_id = image.build_id()?;
    let object = table.objects().find(|object| object.build_id == build_id)?;
    Some(object.sites).filter(|sites| sites.count() > 0)
}

/// True if there is a table.
#[inline(always)]
pub(super) fn are_known() -> bool {
    LOADED.get().is_some()
}

/// True if the table has calls of this object.
pub(super) fn has_object(base: usize) -> bool {
    objects().any(|object| object.base == base)
}

/// Purpose of the call that returns to an address. Async-signal-safe: loads.
pub(super) fn kind(returns_to: usize) -> Option<Kind> {
    objects().find(|object| object.addresses.contains(&returns_to))?.kind(returns_to)
}

fn objects() -> impl Iterator<Item = &'static Loaded> {
    LOADED.get().into_iter().flatten().map_while(Option::as_ref)
}
