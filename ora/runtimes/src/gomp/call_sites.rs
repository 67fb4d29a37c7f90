//! Calls that gcc's code makes for constructs, in this process, from the table that `ORA_CALL_SITES` names.
//!
//! gcc divides a loop with a static schedule in the code itself, and ends it and other constructs with the call of an explicit barrier. The
//! `ora` command identifies these calls by the files' line tables (`ora-call-sites`), and this library by their return addresses.

use super::named_file;
use ::call_sites::{Kind, MAX_BYTES, Sites, Table};
use std::ffi::CStr;
use std::io::Read;
use std::ops::Range;
use std::sync::OnceLock;
use system::memory::kept;
use system::objects::{Image, any_image, count_at_start};
use system::warning::Warning;
use system::{environment, errno};

/// Largest number of objects with calls of the table.
const MAX_OBJECTS: usize = 64;

/// An object of the table with which the process started. It is never unloaded.
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
    match content(name).map(Table::of) {
        Some(Ok(table)) => _ = LOADED.set(loaded(table)),
        Some(Err(_)) => ignore(name, b" is ignored: it is damaged, or another version's\n"),
        None => ignore(name, b" is ignored: there is no such file, or it can't be read, or is too long\n"),
    }
    errno.restore();
}

/// Warns that the file is ignored, unless it is a nameless one that the command has created. Such a file is gone when the command has
/// ended, and a program on another machine may have inherited its name.
fn ignore(name: &CStr, why: &[u8]) {
    if name.to_bytes().starts_with(b"/proc/") {
        return;
    }
    static IGNORED: Warning = Warning::new();
    IGNORED.say(&[b"ora: ORA_CALL_SITES=", name.to_bytes(), why]);
}

/// A copy of a file, because another process may truncate the file itself while it is mapped.
fn content(name: &CStr) -> Option<&'static [u8]> {
    let (mut file, length) = named_file::open(name)?;
    let length = usize::try_from(length).ok().filter(|length| (1..=MAX_BYTES).contains(length))?;
    let room = kept(length)?;
    file.read_exact(room).ok()?;
    Some(room)
}

/// The objects of the table among those with which the process started.
fn loaded(table: Table<'static>) -> [Option<Loaded>; MAX_OBJECTS] {
    let mut found = [const { None }; MAX_OBJECTS];
    let mut free = found.iter_mut();
    let mut left = count_at_start();
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
