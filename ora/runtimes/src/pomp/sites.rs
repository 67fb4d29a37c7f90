//! Constructs of the program's source, and the handles by which its calls identify them.
//!
//! A handle is a variable of the program, 0 at first, for the value of the measurement library: here the address of a [`Site`]. If calls
//! are passed on to another library, handles belong to that library, and sites are found by the addresses of the handles.

use super::ctc::{self, Construct};
use ompt_core::detail::Work;
use ompt_core::region::Region;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicUsize, Ordering::*};
use system::memory::{Link, page};

/// A construct's handle.
#[derive(Clone, Copy)]
pub(super) enum Handle<'call> {
    /// A variable whose value is ours.
    Own(&'call Link<Site>),
    /// The address of a variable whose value belongs to the other measurement library.
    Foreign(usize),
}

/// The largest number of bytes that are kept of a CTC string.
const TEXT: usize = 640;
/// The largest number of open regions of a construct that workers can find.
const OPEN: usize = 16;

/// A construct of the source.
#[repr(C)]
pub(super) struct Site {
    construct: AtomicU32,
    sections: AtomicU32,
    /// True for a loop that gcc divides without its runtime.
    inlined: AtomicBool,
    /// Kind of a loop, as a number of [`Work`].
    work: AtomicU8,
    /// For a critical construct: the first construct of the same name, which represents all of them.
    namesake: Link<Site>,
    /// Regions of the construct that have begun and not ended.
    open: [Link<Region>; OPEN],
    length: AtomicUsize,
    text: [AtomicU8; TEXT],
    used: AtomicBool,
    next: Link<Site>,
}

system::zeroed!(Site { construct, sections, inlined, work, namesake, open, length, text, used, next });

/// Head of the list of all sites.
static ALL: Link<Site> = Link::none();

/// Sites by the addresses of the other library's handles: a hash table with linear probing. Constructs that find no room are not
/// reported.
static SITES: [(AtomicUsize, Link<Site>); CAPACITY] = [const { (AtomicUsize::new(0), Link::none()) }; CAPACITY];
const CAPACITY: usize = 1 << 12;
/// Replaces a missing entry.
static NOWHERE: Link<Site> = Link::none();

/// The site of a handle, if it has one.
#[inline(always)]
pub(super) fn of(handle: Handle<'_>) -> Option<&'static Site> {
    match handle {
        Handle::Own(link) => link.get(),
        Handle::Foreign(key) => foreign(key),
    }
}

/// A new site for a handle, described by a string.
pub(super) fn assign(handle: Handle<'_>, string: impl Iterator<Item = u8>) -> Option<&'static Site> {
    let mut bytes = [0; TEXT];
    let length = copy(string, &mut bytes);
    let site = new(bytes.get(..length)?)?;
    let link = match handle {
        Handle::Own(link) => link,
        Handle::Foreign(key) => foreign_place(key),
    };
    if link.replace(None, site) {
        return Some(site);
    }
    // Another thread stored its site first. Release: pairs with the compare-exchange in `unused`; this thread's writes to the record
    // precede its next user's.
    site.used.store(false, Release);
    link.get()
}

/// The site of another library's handle.
#[cold]
fn foreign(key: usize) -> Option<&'static Site> {
    foreign_place(key).get()
}

/// The table entry for the site of another library's handle, whose address is `key`.
fn foreign_place(key: usize) -> &'static Link<Site> {
    let start = (key >> 3).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52;
    let places = SITES.iter().cycle().skip(start % CAPACITY).take(CAPACITY);
    for (taken, link) in places {
        // Acquire and Release: pair with each other here. Only the key is published; the site is published by its
        // `Link`.
        let before = match taken.load(Acquire) {
            0 => taken.compare_exchange(0, key, AcqRel, Acquire).err().unwrap_or(key),
            other => other,
        };
        if before == key {
            return link;
        }
    }
    &NOWHERE
}

/// Copies a string, and returns the length of its text.
fn copy(string: impl Iterator<Item = u8>, to: &mut [u8; TEXT]) -> usize {
    let mut length = 0;
    for (place, byte) in to.iter_mut().zip(string) {
        *place = byte;
        length += 1;
    }
    ctc::text(to.get(..length).unwrap_or_default()).len()
}

/// Passes the kept part of a string to `show`; `None` if the bytes end before the string does.
#[cfg(not(feature = "linked"))]
pub(super) fn with_copy<T>(string: &[u8], show: impl FnOnce(&[u8]) -> T) -> Option<T> {
    let is_ended = string.contains(&0) || string.windows(2).any(|pair| pair == b"**");
    if !is_ended && string.len() < TEXT {
        return None;
    }
    let mut bytes = [0; TEXT];
    let length = copy(ctc::up_to_end(string.iter().copied()), &mut bytes);
    bytes.get(..length).map(show)
}

/// Makes a site from a CTC string.
fn new(text: &[u8]) -> Option<&'static Site> {
    let ctc = ctc::parse(text);
    let site = unused()?;
    for (place, byte) in site.text.iter().zip(text) {
        place.store(*byte, Relaxed);
    }
    site.length.store(text.len(), Relaxed);
    site.sections.store(ctc.sections, Relaxed);
    site.inlined.store(ctc.construct.is_loop() && ctc.is_inlined_loop(), Relaxed);
    site.work.store(ctc.work() as u8, Relaxed);
    // Release: publishes the text and the numbers above; pairs with the load in `Site::construct`.
    site.construct.store(ctc.construct as u32, Release);
    let named = |other: &&'static Site| other.construct() == Construct::Critical && other.has_name(ctc.name);
    let namesake = if ctc.construct == Construct::Critical { all().filter(named).last() } else { None };
    site.namesake.set(namesake.and_then(|it| it.namesake.get()).or(Some(site)));
    Some(site)
}

/// Takes an unused record.
fn unused() -> Option<&'static Site> {
    // Acquire: pairs with the store of `used` in `assign`. Release: pairs with the load in `all`; only the flag is published for it, as the
    // fields are written later.
    let take =
        |site: &&Site| !site.used.load(Relaxed) && site.used.compare_exchange(false, true, AcqRel, Relaxed).is_ok();
    if let Some(site) = list().find(take) {
        site.construct.store(Construct::Other as u32, Relaxed);
        return Some(site);
    }
    for site in page::<Site>()? {
        loop {
            let first = ALL.get();
            site.next.set(first);
            if ALL.replace(first, site) {
                break;
            }
        }
    }
    list().find(take)
}

fn list() -> impl Iterator<Item = &'static Site> {
    std::iter::successors(ALL.get(), |site| site.next.get())
}

/// Every site, the newest first.
pub(super) fn all() -> impl Iterator<Item = &'static Site> {
    // Acquire: pairs with the compare-exchange in `unused`; the fields are published by `construct`, not by this.
    list().filter(|site| site.used.load(Acquire))
}

impl Construct {
    /// True if it has a loop.
    fn is_loop(self) -> bool {
        matches!(self, Self::Loop | Self::ParallelLoop)
    }
}

impl Site {
    /// Kind of the construct.
    #[inline(always)]
    pub(super) fn construct(&self) -> Construct {
        // Acquire: pairs with the store in `new`, which publishes the text and the numbers.
        Construct::from_number(self.construct.load(Acquire))
    }

    /// Number of sections.
    pub(super) fn sections(&self) -> u32 {
        self.sections.load(Relaxed)
    }

    /// Kind of the loop, with its schedule.
    pub(super) fn work(&self) -> Work {
        Work::from_number(self.work.load(Relaxed).into()).unwrap_or(Work::Loop)
    }

    /// True for a loop that gcc divides without its runtime.
    #[inline(always)]
    pub(super) fn is_inlined(&self) -> bool {
        self.inlined.load(Relaxed)
    }

    /// Wait id for the mutual exclusion of critical constructs with its name.
    pub(super) fn mutex(&'static self) -> u64 {
        std::ptr::from_ref(self.namesake.get().unwrap_or(self)) as u64
    }

    fn has_name(&self, name: &[u8]) -> bool {
        self.with_text(|text| ctc::parse(text).name == name)
    }

    /// Passes the construct's CTC string to `show`.
    pub(super) fn with_text<T>(&self, show: impl FnOnce(&[u8]) -> T) -> T {
        let mut bytes = [0; TEXT];
        bytes.iter_mut().zip(&self.text).for_each(|(byte, place)| *byte = place.load(Relaxed));
        show(bytes.get(..self.length.load(Relaxed)).unwrap_or_default())
    }

    /// Records a region of the construct that has begun.
    pub(super) fn open(&'static self, region: &'static Region) {
        let _ = self.open.iter().any(|place| place.replace(None, region));
    }

    /// Removes a region that has ended.
    pub(super) fn close(&'static self, region: &'static Region) {
        self.open.iter().filter(|place| place.is(region)).for_each(|place| place.set(None));
    }

    /// The regions of the construct that have not ended.
    pub(super) fn regions(&'static self) -> impl Iterator<Item = &'static Region> {
        self.open.iter().filter_map(Link::get)
    }
}
