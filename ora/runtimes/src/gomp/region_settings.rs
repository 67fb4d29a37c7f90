//! Settings by region, from the file that `ORA_TUNE` names, and the addresses of their code in this process.

use super::named_file;
use ::region_settings::{Line, Object, Wrong, lines};
use std::ffi::CStr;
use std::io::Read;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};
use system::appended::{LONGEST, target};
use system::line::{DECIMAL, digits};
use system::objects::{any_image, generation};
use system::warning::Warning;
use system::{environment, errno};

/// Size of the largest file, in bytes, and the largest number of regions in it.
const LARGEST: usize = 1 << 14;
const MAX_REGIONS: usize = 128;
/// Number of times that more objects of the file are found.
const FOUND: usize = 8;

/// Settings of the regions with one body, in this process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Settings {
    /// Addresses of the body's code.
    begin: usize,
    end: usize,
    /// Largest number of threads in a team; 0: as the program says.
    pub(super) threads: u32,
    /// Chunk of loops with a dynamic or guided schedule; 0: as the program says.
    pub(super) chunk: u32,
}

/// The settings for all objects that were loaded at some time.
struct Table {
    /// Sorted by address, `count` of them.
    all: [Settings; MAX_REGIONS],
    count: usize,
}

/// The bytes of the file, and their number.
static FILE: OnceLock<([u8; LARGEST], usize)> = OnceLock::new();
/// The tables so far. The newest one is used, but another thread may still read an earlier one.
static TABLES: [OnceLock<Table>; FOUND] = [const { OnceLock::new() }; FOUND];
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// Number of the list of loaded objects in which some object of the file was not found, plus one; 0: all were.
static INCOMPLETE: AtomicU64 = AtomicU64::new(0);

/// Reads the file. True if it has settings.
pub(super) fn load() -> bool {
    let Some(name) = environment::variable(c"ORA_TUNE").filter(|_| !environment::is_secure()) else { return false };
    let errno = errno::Errno::save();
    let has_settings = read(name);
    errno.restore();
    has_settings
}

fn read(name: &CStr) -> bool {
    let (file, length) = FILE.get_or_init(|| contents(name));
    let file = file.get(..*length).unwrap_or_default();
    if file.is_empty() || file.len() == LARGEST {
        say(name, &[b" is ignored: there is no such file, or it can't be read, or is too long"]);
        return false;
    }
    let mut room = [0; 20];
    let mut regions = 0;
    for line in lines(file) {
        match line {
            Ok(Line::Region(_)) => regions += 1,
            Ok(Line::Object(_)) => {}
            Err(Wrong(number)) => {
                let number = digits(number as u64, DECIMAL, &mut room);
                say(name, &[b" is ignored: line ", number, b" ", Wrong::WHAT.as_bytes()]);
                return false;
            }
        }
    }
    if regions > MAX_REGIONS as u64 {
        let most = digits(MAX_REGIONS as u64, DECIMAL, &mut room);
        say(name, &[b" is ignored: it has more than ", most, b" regions"]);
        return false;
    }
    let count = digits(regions, DECIMAL, &mut room);
    say(name, &[b": settings of ", count, if regions == 1 { b" region" } else { b" regions" }]);
    look();
    regions > 0
}

/// A file's bytes, as many as there is room for, and their number.
fn contents(name: &CStr) -> ([u8; LARGEST], usize) {
    let (mut room, mut length) = ([0; LARGEST], 0);
    if let Some((mut file, _)) = named_file::open(name) {
        while let Ok(more @ 1..) = file.read(room.get_mut(length..).unwrap_or_default()) {
            length += more;
        }
    }
    (room, length)
}

/// Prints a warning about the file, once.
fn say(name: &CStr, what: &[&[u8]]) {
    static SAID: Warning = Warning::new();
    let mut parts: [&[u8]; 8] = [b""; 8];
    let all = [&b"ora: ORA_TUNE="[..], name.to_bytes()].into_iter().chain(what.iter().copied()).chain([&b"\n"[..]]);
    parts.iter_mut().zip(all).for_each(|(place, part)| *place = part);
    SAID.say(&parts);
}

/// The settings of regions whose body starts at this address.
pub(super) fn of_body(address: usize) -> Option<&'static Settings> {
    let known = || of_code(address).filter(|settings| settings.begin == address);
    known().or_else(|| {
        let seen = INCOMPLETE.load(Relaxed).checked_sub(1)?;
        if generation() == seen {
            return None;
        }
        look();
        known()
    })
}

/// The settings of regions whose body has code at this address.
pub(super) fn of_code(address: usize) -> Option<&'static Settings> {
    let table = table()?;
    let all = table.regions();
    let after = all.partition_point(|settings| settings.begin <= address);
    all.get(after.checked_sub(1)?).filter(|settings| address < settings.end)
}

fn table() -> Option<&'static Table> {
    // Acquire: pairs with the store in `look`.
    TABLES.get(COUNT.load(Acquire).checked_sub(1)?)?.get()
}

/// Finds the objects of the file among those that are loaded.
#[cold]
fn look() {
    let number = COUNT.load(Relaxed);
    let Some((file, length)) = FILE.get() else { return };
    let file = file.get(..*length).unwrap_or_default();
    let errno = errno::Errno::save();
    let (found, incomplete) = Table::of(file);
    INCOMPLETE.store(incomplete.map_or(0, |generation| generation + 1), Relaxed);
    let is_known = table().is_some_and(|known| known.regions() == found.regions());
    // Another thread may have been faster.
    if !is_known && TABLES.get(number).is_some_and(|place| place.set(found).is_ok()) {
        // Release: pairs with the load in `table`.
        COUNT.store(number + 1, Release);
    }
    errno.restore();
}

impl Table {
    /// The table, and the number of the list of loaded objects if some object of the file was not in it.
    fn of(file: &[u8]) -> (Self, Option<u64>) {
        let none = Settings { begin: usize::MAX, end: 0, threads: 0, chunk: 0 };
        let mut table = Self { all: [none; MAX_REGIONS], count: 0 };
        let (mut base, mut incomplete) = (None, None);
        for line in lines(file).flatten() {
            match line {
                Line::Object(object) => {
                    let (found, generation) = find(&object);
                    base = found;
                    incomplete = incomplete.or(found.is_none().then_some(generation));
                }
                Line::Region(region) => {
                    let Some(base) = base else { continue };
                    let place = |address: u64| usize::try_from(address).map(|address| address.wrapping_add(base));
                    let (Ok(begin), Ok(end)) = (place(region.begin), place(region.end)) else { continue };
                    table.insert(Settings { begin, end, threads: region.threads, chunk: region.chunk });
                }
            }
        }
        (table, incomplete)
    }

    fn regions(&self) -> &[Settings] {
        self.all.get(..self.count).unwrap_or_default()
    }

    /// Inserts settings in order, if there is room.
    fn insert(&mut self, mut settings: Settings) {
        let begin = settings.begin;
        let after = self.all.iter_mut().take(self.count + 1).skip_while(|known| known.begin < begin);
        after.for_each(|place| std::mem::swap(place, &mut settings));
        self.count = MAX_REGIONS.min(self.count + 1);
    }
}

/// Base address of an object, and the number of the list of loaded objects.
fn find(object: &Object<'_>) -> (Option<usize>, u64) {
    static ANOTHER: Warning = Warning::new();
    let mut room = [0; LONGEST];
    let executable = target(c"/proc/thread-self/exe", &mut room);
    let (mut base, mut generation, mut is_another) = (None, 0, false);
    any_image(&mut |image, now| {
        generation = now;
        // The executable's name is empty in that list.
        let path = Some(image.name().to_bytes()).filter(|path| !path.is_empty()).unwrap_or(executable);
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        base = object.is(name, image.build_id()).then(|| image.base());
        is_another |= name == object.name;
        base.is_some()
    });
    if base.is_none() && is_another {
        let why =
            b" is not the one that ORA_TUNE's file is for: its regions run as it says; ora tune writes another file\n";
        ANOTHER.say(&[b"ora: ", object.name, why]);
    }
    (base, generation)
}
