//! Settings by region, from the file that `ORA_TUNE` names: where their code lies in this process.

use ::region_settings::{Line, Object, lines};
use std::ffi::{CStr, OsStr};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::*};
use system::environment;
use system::objects::{any_image, generation};
use system::warning::Warning;

/// Larger files are none of ours, in bytes.
const LARGEST: u64 = 1 << 20;

/// Settings of the regions with one body, in this process.
pub(super) struct Settings {
    /// Addresses of the body's code.
    begin: usize,
    end: usize,
    /// Most threads of a team; 0: as the program says.
    pub(super) threads: u32,
    /// Chunk of loops that are handed out; 0: as the program says.
    pub(super) chunk: u32,
}

/// The settings of all objects that were loaded at a time.
struct Table {
    /// By address.
    all: Vec<Settings>,
    /// Number of the list of loaded objects, where some object of the file was not among them.
    incomplete: Option<u64>,
}

/// How often objects of the file are looked for.
const LOOKS: usize = 16;

/// What the file says.
static FILE: OnceLock<Vec<u8>> = OnceLock::new();
/// The tables so far: the newest counts, and somebody may still look at an earlier one.
static TABLES: [OnceLock<Table>; LOOKS] = [const { OnceLock::new() }; LOOKS];
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Reads the file. True if it has settings.
pub(super) fn load() -> bool {
    let Some(name) = environment::variable(c"ORA_TUNE").filter(|_| !environment::is_secure()) else { return false };
    let path = Path::new(OsStr::from_bytes(name.to_bytes()));
    let is_plain = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() <= LARGEST);
    let Some(file) = is_plain.then(|| fs::read(path).ok()).flatten() else {
        say(name, &[b" is ignored: there is no such file, or it can't be read"]);
        return false;
    };
    let mut regions = 0;
    for line in lines(&file) {
        match line {
            Ok(Line::Region(_)) => regions += 1,
            Ok(Line::Object(_)) => {}
            Err(wrong) => {
                say(name, &[b" is ignored: ", wrong.to_string().as_bytes()]);
                return false;
            }
        }
    }
    let count = regions.to_string();
    say(name, &[b": settings of ", count.as_bytes(), if regions == 1 { b" region" } else { b" regions" }]);
    let _ = FILE.set(file);
    look();
    regions > 0
}

/// Says something of the file, once.
fn say(name: &CStr, what: &[&[u8]]) {
    static SAID: Warning = Warning::new();
    SAID.say(&[&[&b"ora: ORA_TUNE="[..], name.to_bytes()], what, &[b"\n"]].concat());
}

/// The settings of regions whose body begins at this address.
pub(super) fn of_body(address: usize) -> Option<&'static Settings> {
    of_code(address).filter(|settings| settings.begin == address).or_else(|| {
        let seen = table()?.incomplete?;
        if generation() == seen {
            return None;
        }
        look();
        of_code(address).filter(|settings| settings.begin == address)
    })
}

/// The settings of regions whose body has code at this address.
pub(super) fn of_code(address: usize) -> Option<&'static Settings> {
    let all = &table()?.all;
    let behind = all.partition_point(|settings| settings.begin <= address);
    all.get(behind.checked_sub(1)?).filter(|settings| address < settings.end)
}

fn table() -> Option<&'static Table> {
    // Acquire: pairs with the store in `look`.
    TABLES.get(COUNT.load(Acquire).checked_sub(1)?)?.get()
}

/// Finds the objects of the file among those that are loaded.
fn look() {
    let file = FILE.get().map(Vec::as_slice).unwrap_or_default();
    let (mut all, mut incomplete, mut base) = (Vec::new(), None, None);
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
                all.push(Settings { begin, end, threads: region.threads, chunk: region.chunk });
            }
        }
    }
    all.sort_unstable_by_key(|settings| settings.begin);
    let number = COUNT.load(Relaxed);
    if TABLES.get(number).is_some_and(|table| table.set(Table { all, incomplete }).is_ok()) {
        // Release: pairs with the load in `table`.
        COUNT.store(number + 1, Release);
    }
}

/// Base address of an object, and the number of the list of loaded objects.
fn find(object: &Object<'_>) -> (Option<usize>, u64) {
    static ANOTHER: Warning = Warning::new();
    let executable = std::env::current_exe().unwrap_or_default();
    let (mut base, mut generation, mut is_another) = (None, 0, false);
    any_image(&mut |image, now| {
        generation = now;
        // The executable has no name there.
        let path = Some(image.name().to_bytes()).filter(|path| !path.is_empty());
        let path = path.map_or(executable.as_path(), |path| Path::new(OsStr::from_bytes(path)));
        let name = path.file_name().map(OsStr::as_bytes).unwrap_or_default();
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
