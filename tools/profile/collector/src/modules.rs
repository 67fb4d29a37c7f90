//! List of the code in this process, from its mappings. Unsafe: a list that other threads read while it is replaced.
//!
//! Copy-on-write: a new list is built in new memory and then published by one store. Old lists are never freed, since
//! a handler on another thread may read them. A new list is created only if something has changed, and has each module by reference, so
//! that it is short. Async-signal-safe: system calls and the arena's memory.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64};

use crate::arena::Arena;
use crate::diagnostics::{Diagnostic, report};
use crate::made_code;
use crate::module::Module;
use crate::system::{self, Descriptor};
use crate::unwind_info;
use ::system::maps::{OWN_MAPPINGS, any_mapping};

/// Maximum number of modules; code beyond that is unknown.
const MAX_MODULES: usize = 4096;
/// Age at which the list is read again.
const OLD_NS: u64 = 1_000_000_000;
/// Minimum age of the list before an unknown address triggers a new one; doubled each time nothing new was found.
const UNKNOWN_NS: u64 = 20_000_000;
/// Minimum age of the list, as a multiple of the time that its reading took: it grows with the number of mappings, and a program that
/// loads many libraries one after the other always has an unknown address.
const READS: u64 = 50;

/// Memory for lists and paths.
static KEPT: Arena = Arena::new(1 << 22);
static NOW: AtomicPtr<List> = AtomicPtr::new(ptr::null_mut());
static READ_AT: AtomicU64 = AtomicU64::new(0);
static MIN_AGE_NS: AtomicU64 = AtomicU64::new(UNKNOWN_NS);
/// Processor time of the last reading.
static COST_NS: AtomicU64 = AtomicU64::new(0);
static READING: AtomicBool = AtomicBool::new(false);
/// An unknown address was seen when the list was too young to be read again. The next sample's stack may not show it:
/// verified frames of the previous stack are copied without consulting the list.
static MET_UNKNOWN: AtomicBool = AtomicBool::new(false);
/// True once a list did not fit: the previous one stays forever.
static FULL: AtomicBool = AtomicBool::new(false);
static NEXT: AtomicU32 = AtomicU32::new(1);
static BUFFERS: Room =
    Room(UnsafeCell::new(Buffers { text: [0; 8192], header: [0; 4096], fresh: [Listed::NONE; MAX_MODULES] }));

struct Room(UnsafeCell<Buffers>);

// SAFETY: used only by the thread that has set `READING`.
unsafe impl Sync for Room {}

struct Buffers {
    text: [u8; 8192],
    header: [u8; 4096],
    fresh: [Listed; MAX_MODULES],
}

/// An entry of a list.
#[derive(Clone, Copy, Debug)]
struct Listed {
    start: u64,
    module: Option<&'static Module>,
}

impl Listed {
    /// An entry of zeros, so that an array of them takes no space in the library's file.
    const NONE: Self = Self { start: 0, module: None };
}

/// A list of all modules, by address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    /// Unique number of the list.
    pub(crate) number: u32,
    modules: &'static [Listed],
}

impl List {
    /// The module that an address lies in.
    pub(crate) fn find(&self, address: u64) -> Option<&'static Module> {
        let above = self.modules.partition_point(|listed| listed.start <= address);
        self.modules.get(above.checked_sub(1)?)?.module.filter(|module| address < module.end)
    }

    /// The path of the module that an address lies in.
    pub(crate) fn path(&self, address: u64) -> Option<&'static [u8]> {
        self.find(address)?.path
    }
}

/// The newest list.
pub(crate) fn list() -> List {
    // Acquire: pairs with the store in `publish`; publishes the list.
    let now = NOW.load(Acquire);
    if now.is_null() {
        return List { number: 0, modules: &[] };
    }
    // SAFETY: lists are complete when they are published, and are never freed.
    unsafe { *now }
}

/// Reads the mappings again if the list is old or, with `unknown`, if an address was seen that isn't in it.
pub(crate) fn refresh(now_ns: u64, unknown: bool) {
    let unknown = unknown || MET_UNKNOWN.load(Relaxed);
    let age = now_ns.saturating_sub(READ_AT.load(Relaxed));
    // Acquire of `READING`: pairs with the store of false below; publishes `BUFFERS`.
    if age < due_ns(unknown, MIN_AGE_NS.load(Relaxed), COST_NS.load(Relaxed)) || READING.swap(true, Acquire) {
        MET_UNKNOWN.store(unknown, Relaxed);
        return;
    }
    MET_UNKNOWN.store(false, Relaxed);
    READ_AT.store(now_ns, Relaxed);
    let begun_cpu_ns = system::cpu_ns();
    // SAFETY: `READING` was free, so no other thread is here.
    let room = unsafe { &mut *BUFFERS.0.get() };
    let changed = read(room, now_ns);
    if changed || unknown {
        let min_age = MIN_AGE_NS.load(Relaxed) * 2;
        MIN_AGE_NS.store(if changed { UNKNOWN_NS } else { min_age.min(OLD_NS) }, Relaxed);
    }
    COST_NS.store(system::cpu_ns().saturating_sub(begun_cpu_ns), Relaxed);
    // Unless it has expired meanwhile.
    _ = READ_AT.compare_exchange(now_ns, system::monotonic_ns(), Relaxed, Relaxed);
    // Release: pairs with the swap above; publishes `BUFFERS`.
    READING.store(false, Release);
}

/// Age of the list from which it is read again.
fn due_ns(unknown: bool, min_age_ns: u64, cost_ns: u64) -> u64 {
    if unknown { min_age_ns } else { OLD_NS }.max(cost_ns.saturating_mul(READS))
}

/// Reads the mappings for the last time: samples may be in code that was loaded when the list was too young.
pub(crate) fn complete(now_ns: u64) {
    if MET_UNKNOWN.load(Relaxed) {
        expire();
        refresh(now_ns, true);
    }
}

/// Makes the list old.
pub(crate) fn expire() {
    READ_AT.store(0, Relaxed);
}

/// Unlocks the reading in a forked child: the thread that was reading doesn't exist there.
pub(crate) fn after_fork() {
    READING.store(false, Relaxed);
}

/// Writes all modules into a file that has just been started, or the fact that there was no memory for them.
pub(crate) fn write_all() {
    list().modules.iter().filter_map(|listed| listed.module).for_each(Module::write);
    made_code::write_all();
    if lacks_room() {
        report_no_room();
    }
}

fn lacks_room() -> bool {
    FULL.load(Relaxed) || !KEPT.is_there()
}

/// True if code was loaded or unloaded.
fn read(room: &mut Buffers, now_ns: u64) -> bool {
    if lacks_room() {
        report_no_room();
        return false;
    }
    let Buffers { text, header, fresh } = room;
    let Some(maps) = Descriptor::read_only(OWN_MAPPINGS) else { return false };
    let old = list();
    let (mut count, mut changed) = (0, false);
    // Address of the file's start in the memory that was encountered last.
    let mut first = (0, 0);
    any_mapping(
        text,
        |into| maps.read(into),
        |mapping| {
            if !mapping.path.starts_with(b"/") && mapping.path != b"[vdso]" {
                if mapping.is_executable && mapping.path != b"[vsyscall]" {
                    made_code::note(&mapping, now_ns);
                }
                return false;
            }
            if mapping.offset == 0 {
                first = (mapping.start, mapping.inode);
            }
            let Some(place) = fresh.get_mut(count).filter(|_| mapping.is_executable) else { return false };
            let known = old.find(mapping.start).filter(|module| module.is(&mapping));
            let module = known.or_else(|| {
                changed = true;
                let mut module = Module::new(&mapping, KEPT.keep(mapping.path), now_ns);
                let begin = Some(first.0).filter(|_| first.1 == mapping.inode);
                unwind_info::load(&mut module, begin, header);
                module.write();
                keep(module)
            });
            *place = Listed { start: mapping.start, module };
            count += 1;
            false
        },
    );
    let changed = changed || count != old.modules.len();
    let kept = fresh.get(..count).filter(|fresh| fresh.iter().all(|listed| listed.module.is_some()));
    if changed && kept.and_then(publish).is_none() {
        FULL.store(true, Relaxed);
        report_no_room();
    }
    changed
}

fn report_no_room() {
    report(Diagnostic::Code, |text| {
        text.push(if KEPT.is_there() {
            b"libraries were loaded and unloaded too often to record all: stacks end in code that was loaded later"
        } else {
            b"no memory for the list of loaded code: stacks have their first frame only"
        });
    });
}

fn publish(fresh: &[Listed]) -> Option<()> {
    let modules = KEPT.take(size_of_val(fresh).div_ceil(8))?.as_mut_ptr().cast::<Listed>();
    // SAFETY: the memory is large enough, belongs to this call alone, and its address is a multiple of 8.
    unsafe { std::ptr::copy_nonoverlapping(fresh.as_ptr(), modules, fresh.len()) };
    // SAFETY: written just now, and never again.
    let modules = unsafe { std::slice::from_raw_parts(modules, fresh.len()) };
    let list = keep(List { number: NEXT.fetch_add(1, Relaxed), modules })?;
    // Release: pairs with the load in `list`; publishes the list.
    NOW.store(ptr::from_ref(list).cast_mut(), Release);
    Some(())
}

/// Keeps a value forever.
fn keep<T>(value: T) -> Option<&'static T> {
    const { assert!(align_of::<T>() <= 8) };
    let place = KEPT.take(size_of::<T>().div_ceil(8))?.as_mut_ptr().cast::<T>();
    // SAFETY: the memory is large enough, belongs to this call alone, and its address is a multiple of 8, which is all that the type asks
    // for (asserted above).
    unsafe { place.write(value) };
    // SAFETY: written just now, and never again.
    Some(unsafe { &*place })
}

const _: () = assert!(align_of::<Listed>() <= 8);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_takes_long_to_read_is_read_less_often() {
        assert_eq!(due_ns(true, UNKNOWN_NS, 100_000), UNKNOWN_NS);
        assert_eq!(due_ns(true, UNKNOWN_NS, 10_000_000), 500_000_000);
        assert_eq!(due_ns(false, UNKNOWN_NS, 10_000_000), OLD_NS);
        assert_eq!(due_ns(false, UNKNOWN_NS, 40_000_000), 2 * OLD_NS);
    }
}
