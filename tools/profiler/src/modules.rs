//! The code in this process, as the list of mappings showed it last. Unsafe: a list that others read while it is replaced.
//!
//! A new list is put together in new memory and then published; old ones stay, since a handler on another thread may read
//! them. One is made only when something has changed. Async-signal-safe: system calls and memory of one's own.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64};

use profile_data::{Object, Record};

use crate::arena::Arena;
use crate::elf;
use crate::file::FILE;
use crate::maps::{self, Mapping};
use crate::system::{self, Descriptor};
use crate::text::Text;

/// Most pieces of code; a process with more has the rest unknown.
const MOST: usize = 4096;
const ID: usize = 32;
/// The list is read again when it is so old.
const OLD_NS: u64 = 1_000_000_000;
/// And, for an unknown address, when it is so old.
const UNKNOWN_NS: u64 = 20_000_000;

/// Lists, paths, and the rules of what has no file.
static KEPT: Arena = Arena::new(1 << 22);
static NOW: AtomicPtr<List> = AtomicPtr::new(std::ptr::null_mut());
static READ_AT: AtomicU64 = AtomicU64::new(0);
static READING: AtomicBool = AtomicBool::new(false);
static NEXT: AtomicU32 = AtomicU32::new(1);
static ROOM: Room = Room(UnsafeCell::new(Buffers { text: [0; 8192], header: [0; 4096], fresh: [Module::NONE; MOST] }));

struct Room(UnsafeCell<Buffers>);

// SAFETY: used by who has set `READING` only.
unsafe impl Sync for Room {}

struct Buffers {
    text: [u8; 8192],
    header: [u8; 4096],
    fresh: [Module; MOST],
}

/// A piece of code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Module {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// What is added to the file's addresses.
    pub(crate) bias: u64,
    pub(crate) rules: Option<Rules>,
    offset: u64,
    inode: u64,
    since_ns: u64,
    path: Option<&'static [u8]>,
    build_id: Text<ID>,
}

/// Its rules for unwinding: the segment that has `.eh_frame_hdr` and `.eh_frame`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// The segment's address in the file.
    pub(crate) address: u64,
    pub(crate) bytes: &'static [u8],
    /// The index's address in the file.
    pub(crate) index: u64,
}

/// All of them, by address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    /// Another one for each list.
    pub(crate) number: u32,
    modules: &'static [Module],
}

impl Module {
    /// All zeros, so that a row of them takes no room in the library's file.
    const NONE: Self = Self {
        start: 0,
        end: 0,
        bias: 0,
        rules: None,
        offset: 0,
        inode: 0,
        since_ns: 0,
        path: None,
        build_id: Text::new(),
    };

    fn is(&self, mapping: &Mapping) -> bool {
        (self.start, self.end, self.offset, self.inode) == (mapping.start, mapping.end, mapping.offset, mapping.inode)
            && self.path == Some(mapping.path)
    }

    fn write(&self) {
        let build_id = self.build_id.bytes();
        let (start, end, bias, since_ns) = (self.start, self.end, self.bias, self.since_ns);
        let path = self.path.unwrap_or_default();
        FILE.write(Record::Object(Object { start, end, bias, since_ns, build_id, path }));
    }
}

impl List {
    /// The piece of code that an address lies in.
    pub(crate) fn find(&self, address: u64) -> Option<&'static Module> {
        let behind = self.modules.partition_point(|module| module.start <= address);
        self.modules.get(behind.checked_sub(1)?).filter(|module| address < module.end)
    }

    /// The path of the code that an address lies in.
    pub(crate) fn path(&self, address: u64) -> Option<&'static [u8]> {
        self.find(address)?.path
    }
}

/// The list of now.
pub(crate) fn list() -> List {
    let now = NOW.load(Acquire);
    if now.is_null() {
        return List { number: 0, modules: &[] };
    }
    // SAFETY: lists are published when they are complete, and stay.
    unsafe { *now }
}

/// Reads the mappings, when the list is old or, with `unknown`, when an address that isn't in it was met.
pub(crate) fn refresh(now_ns: u64, unknown: bool) {
    let age = now_ns.saturating_sub(READ_AT.load(Relaxed));
    if age < if unknown { UNKNOWN_NS } else { OLD_NS } || READING.swap(true, Acquire) {
        return;
    }
    READ_AT.store(now_ns, Relaxed);
    // SAFETY: `READING` was free, so nobody else is here.
    let room = unsafe { &mut *ROOM.0.get() };
    read(room, now_ns);
    READING.store(false, Release);
}

/// In a forked child: who was reading is no longer there.
pub(crate) fn after_fork() {
    READING.store(false, Relaxed);
}

/// Writes all of them, into a file that was begun now.
pub(crate) fn write_all() {
    list().modules.iter().for_each(Module::write);
}

fn read(room: &mut Buffers, now_ns: u64) {
    let Buffers { text, header, fresh } = room;
    let Some(maps) = Descriptor::read_only(c"/proc/self/maps") else { return };
    let old = list();
    let (mut count, mut changed) = (0, false);
    maps::each_line(
        text,
        |into| maps.read(into),
        |line| {
            let Some((mapping, place)) = maps::code(line).zip(fresh.get_mut(count)) else { return };
            let known = old.find(mapping.start).filter(|module| module.is(&mapping));
            *place = known.copied().unwrap_or_else(|| {
                changed = true;
                let module = load(&mapping, header, now_ns);
                module.write();
                module
            });
            count += 1;
        },
    );
    if changed || count != old.modules.len() {
        let _ = fresh.get(..count).and_then(publish);
    }
}

fn publish(fresh: &[Module]) -> Option<()> {
    let modules = KEPT.take(size_of_val(fresh).div_ceil(8))?.as_mut_ptr().cast::<Module>();
    // SAFETY: the memory has room for them, is nobody else's, and lies at a multiple of 8.
    unsafe { std::ptr::copy_nonoverlapping(fresh.as_ptr(), modules, fresh.len()) };
    // SAFETY: written just now, and nobody writes there again.
    let modules = unsafe { std::slice::from_raw_parts(modules, fresh.len()) };
    let list = KEPT.take(size_of::<List>().div_ceil(8))?.as_mut_ptr().cast::<List>();
    // SAFETY: the memory has room for it, is nobody else's, and lies at a multiple of 8.
    unsafe { list.write(List { number: NEXT.fetch_add(1, Relaxed), modules }) };
    NOW.store(list, Release);
    Some(())
}

const _: () = assert!(align_of::<Module>() <= 8 && align_of::<List>() <= 8);

fn load(mapping: &Mapping, header: &mut [u8], since_ns: u64) -> Module {
    let mut module = Module {
        start: mapping.start,
        end: mapping.end,
        bias: mapping.start.wrapping_sub(mapping.offset),
        offset: mapping.offset,
        inode: mapping.inode,
        since_ns,
        path: KEPT.keep(mapping.path),
        ..Module::NONE
    };
    if mapping.path.starts_with(b"[") {
        let _ = load_from_memory(&mut module);
    } else {
        let _ = load_from_file(&mut module, header);
    }
    module
}

/// Of the vDSO, which is one whole ELF image.
fn load_from_memory(module: &mut Module) -> Option<()> {
    let length = usize::try_from(module.end - module.start).ok()?;
    let image = KEPT.take(length.div_ceil(8))?;
    // SAFETY: words are bytes, and these are ours for good.
    let image = unsafe { std::slice::from_raw_parts_mut(image.as_mut_ptr().cast::<u8>(), length) };
    if system::copy_own_memory(module.start, image) < length {
        return None;
    }
    let image = &*image;
    let segments = elf::segments(image);
    module.bias = elf::bias(segments.clone(), 0, module.start)?;
    if let Some(id) =
        elf::notes(segments.clone()).find_map(|note| elf::build_id(piece(image, note.offset, note.length)?))
    {
        module.build_id.push(id);
    }
    let (index, segment) = elf::index(segments)?;
    module.rules =
        Some(Rules { address: segment.address, bytes: piece(image, segment.offset, segment.length)?, index });
    Some(())
}

fn load_from_file(module: &mut Module, header: &mut [u8]) -> Option<()> {
    let mut path = Text::<4096>::new();
    path.push(module.path?);
    // A name that ends in " (deleted)" is no file's.
    let file = Descriptor::read_only(path.c())?;
    let got = file.read_at(0, header);
    let image = header.get(..got)?;
    let segments = elf::segments(image);
    module.bias = elf::bias(segments.clone(), module.offset, module.start)?;
    let mut notes = [0; 512];
    for note in elf::notes(segments.clone()) {
        let length = usize::try_from(note.length).unwrap_or(usize::MAX).min(notes.len());
        let Some(room) = notes.get_mut(..length) else { continue };
        let got = file.read_at(note.offset, room);
        if let Some(id) = elf::build_id(room.get(..got).unwrap_or_default()) {
            module.build_id.push(id);
            break;
        }
    }
    let (index, segment) = elf::index(segments)?;
    let before = segment.offset % 4096;
    let length = usize::try_from(segment.length + before).ok()?;
    let mapped = file.map_private(segment.offset - before, length)?;
    module.rules = Some(Rules { address: segment.address, bytes: piece(mapped, before, segment.length)?, index });
    Some(())
}

fn piece(bytes: &[u8], at: u64, length: u64) -> Option<&[u8]> {
    bytes.get(usize::try_from(at).ok()?..)?.get(..usize::try_from(length).ok()?)
}
