//! Cache of this process's executable mappings: from an address to its owner, the program, a runtime or ora.
//!
//! Read from `/proc` instead of asking the dynamic linker, whose lock another thread may hold while it waits for this
//! one. Allocates nothing. Each object that contains a place is entered in the shared memory, so that `ora` can look
//! the place up.

use std::sync::atomic::{
    AtomicBool, AtomicU16, AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

use system::maps::{Mapping, own_mapping_at};

use ora_client::OuterCall;
use stat_layout::loaded::{SharedTables, place};

use crate::member::MEMBER;
use crate::symbols;

/// Maximum number of executable mappings that are remembered. The kernel is asked again about others.
const KNOWN: usize = 4096;
/// Number of pages whose mapping is found without a search, and of addresses that are known to be unmapped.
const RECENT: usize = 1024;

/// Owner of a loaded object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The program, and the libraries that come with it.
    Program = 1,
    /// This library, `libora.so`, and the C library with its helpers.
    Machinery = 2,
    /// An OpenMP runtime.
    Runtime = 3,
}

/// The mappings of this process that have been encountered.
#[derive(Debug)]
pub(crate) struct Objects {
    busy: AtomicBool,
    count: AtomicUsize,
    known: [Known; KNOWN],
    /// By page: the index of its mapping among the known ones.
    by_page: [AtomicU16; RECENT],
    /// Unmapped addresses: garbage on a stack is found again by each search there.
    unmapped: [AtomicU64; RECENT],
    /// The file (its number) of a runtime that embeds the library and is not the program itself; 0 if there is none.
    embedding: AtomicU64,
}

#[derive(Debug)]
struct Known {
    start: AtomicU64,
    end: AtomicU64,
    owner: AtomicU64,
}

/// Mappings of this process.
pub(crate) static OBJECTS: Objects = Objects::new();

impl Objects {
    const fn new() -> Self {
        Self {
            busy: AtomicBool::new(false),
            count: AtomicUsize::new(0),
            known: [const { Known { start: AtomicU64::new(0), end: AtomicU64::new(0), owner: AtomicU64::new(0) } };
                KNOWN],
            by_page: [const { AtomicU16::new(0) }; RECENT],
            unmapped: [const { AtomicU64::new(0) }; RECENT],
            embedding: AtomicU64::new(0),
        }
    }

    /// Searches for a runtime that embeds the library, and returns whether there is one. To be called while the
    /// process starts.
    pub(crate) fn find_embedding(&self) -> bool {
        let runtime = symbols::find_own_runtime();
        if runtime != 0 {
            self.embedded_by(runtime, symbols::entry_of_program());
        }
        runtime != 0
    }

    /// Sets the runtime that embeds the library, by an address in it, and the program, by an address in that.
    fn embedded_by(&self, runtime: u64, program: u64) {
        let file_of = |address| own_mapping_at(address, |mapping| mapping.inode).unwrap_or(0);
        let (embedding, own) = (file_of(runtime), file_of(program));
        // Objects that are linked into one file can't be distinguished.
        self.embedding.store(if embedding == own { 0 } else { embedding }, Relaxed);
    }

    /// Forgets everything, in a process that is a copy of another one.
    pub(crate) fn clear(&self) {
        self.count.store(0, Relaxed);
        // A store would allocate pages that were never touched.
        let unmapped = self.unmapped.iter().filter(|address| address.load(Relaxed) != 0);
        unmapped.for_each(|address| address.store(0, Relaxed));
        self.busy.store(false, Relaxed);
    }

    /// Owner of the code at an address. `None`: no mapping is known there.
    pub(crate) fn owner(&self, tables: SharedTables<'_>, address: u64) -> Option<Owner> {
        self.recall(address).or_else(|| self.look_up(tables, address))
    }

    /// The place of a call whose address the program's own runtime knows. `None` if that is none of the program's: a compiler may have
    /// inlined the runtime's function into the program's, which the C library has called.
    pub(crate) fn place_of(&self, tables: SharedTables<'_>, outer: OuterCall) -> Option<u64> {
        outer.address().filter(|address| self.owner(tables, *address) == Some(Owner::Program))
    }

    /// Enters the object of a place that is encountered for the first time.
    pub(crate) fn note(&self, tables: SharedTables<'_>, place: u64) {
        if place >= place::FIRST_ADDRESS {
            self.owner(tables, place);
        }
    }

    fn recall(&self, address: u64) -> Option<Owner> {
        // Acquire: pairs with the store in `enter`; publishes the mappings below the count.
        let met = self.known.get(..self.count.load(Acquire))?;
        let by_page = recent(&self.by_page, address >> PAGE_BITS)?;
        let hinted = met.get(usize::from(by_page.load(Relaxed))).filter(|known| known.holds(address));
        let found = hinted.or_else(|| {
            let number = met.iter().position(|known| known.holds(address))?;
            by_page.store(u16::try_from(number).ok()?, Relaxed);
            met.get(number)
        })?;
        let owner = found.owner.load(Relaxed);
        let owners = [Owner::Program, Owner::Machinery, Owner::Runtime];
        owners.into_iter().find(|one| *one as u64 == owner)
    }

    fn look_up(&self, tables: SharedTables<'_>, address: u64) -> Option<Owner> {
        let unmapped = recent(&self.unmapped, address)?;
        // No program has code there: the stack ends with a 0, or unwinding has lost its way.
        if address < place::FIRST_ADDRESS || unmapped.load(Relaxed) == address {
            return None;
        }
        self.ask(tables, address, unmapped)
    }

    /// Asks the kernel. Not inlined: its buffer would be on the stack of each new thread, whose pages are new as well.
    #[cold]
    #[inline(never)]
    fn ask(&self, tables: SharedTables<'_>, address: u64, unmapped: &AtomicU64) -> Option<Owner> {
        let embedding = self.embedding.load(Relaxed);
        let owner = own_mapping_at(address, |mapping| {
            let embeds = embedding != 0 && mapping.inode == embedding;
            let owner = if embeds { Owner::Runtime } else { owner_of(mapping.path) };
            mapping.is_executable.then(|| self.enter(tables, mapping, owner)).map(|()| owner)
        });
        if owner.is_none() {
            unmapped.store(address, Relaxed);
        }
        owner.flatten()
    }

    /// Remembers a mapping, unless another thread takes very long to remember one.
    fn enter(&self, tables: SharedTables<'_>, mapping: Mapping<'_>, owner: Owner) {
        // Bounded: a signal handler may have interrupted the other thread, or this very thread.
        let free = (0..1000).any(|turn| {
            if turn > 0 {
                std::thread::yield_now();
            }
            // Acquire: pairs with the store of false below; publishes what the last thread entered.
            !self.busy.swap(true, Acquire)
        });
        if !free {
            return;
        }
        let count = self.count.load(Relaxed);
        let twice = self.recall(mapping.start).is_some();
        if let Some(known) = self.known.get(count).filter(|_| !twice) {
            known.start.store(mapping.start, Relaxed);
            known.end.store(mapping.end, Relaxed);
            known.owner.store(owner as u64, Relaxed);
            // Release: pairs with the load in `recall`; publishes the mapping.
            self.count.store(count + 1, Release);
            if owner != Owner::Machinery {
                tell(tables, mapping);
            }
        }
        // Release: pairs with the swap above, of the next thread.
        self.busy.store(false, Release);
    }
}

impl Known {
    fn holds(&self, address: u64) -> bool {
        (self.start.load(Relaxed)..self.end.load(Relaxed)).contains(&address)
    }
}

/// Pages are at least this large: a mapping has whole ones.
const PAGE_BITS: u32 = 12;

/// The element of a table for a number.
fn recent<T>(table: &[T; RECENT], number: u64) -> Option<&T> {
    // Fibonacci hashing: the highest bits depend on all of the number's.
    table.get(usize::try_from(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - RECENT.ilog2())).ok()?)
}

fn tell(tables: SharedTables<'_>, mapping: Mapping<'_>) {
    let Some(process) = MEMBER.claim(tables.process_table) else { return };
    let Some(slot) = tables.objects.claim() else { return };
    slot.start.store(mapping.start, Relaxed);
    slot.end.store(mapping.end, Relaxed);
    slot.offset.store(mapping.offset, Relaxed);
    slot.inode.store(mapping.inode, Relaxed);
    slot.path.set(mapping.path);
    slot.owner.store(process + 1, Relaxed);
}

/// Owner of a mapping, by its path. Code without a file belongs to the program, which made it.
fn owner_of(path: &[u8]) -> Owner {
    const MACHINERY: [&[u8]; 8] =
        [b"libora.", b"libora_", b"libc.so", b"libc-2", b"libpthread", b"ld-linux", b"libgcc_s", b"[vdso]"];
    const RUNTIMES: [&[u8]; 4] = [b"libgomp", b"libomp.so", b"libomp-", b"libiomp5"];
    let name = path.rsplit(|b| *b == b'/').next().unwrap_or_default();
    // A library that `ora attach` brought into another container.
    let name = name.strip_prefix(b"memfd:").unwrap_or(name);
    let is = |begins: &[&[u8]]| begins.iter().any(|begin| name.starts_with(begin));
    match (is(&RUNTIMES), is(&MACHINERY)) {
        (true, _) => Owner::Runtime,
        (_, true) => Owner::Machinery,
        _ => Owner::Program,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stat_layout::area::SharedArea;
    use stat_layout::tasks::layout::TasksArea;

    #[test]
    fn the_programs_code_is_told_once_and_the_c_librarys_never() {
        let shared = SharedArea::<TasksArea>::create(0).unwrap();
        let tables = shared.area().tables();
        let objects = Objects::new();
        let own = owner_of as fn(&'static [u8]) -> Owner as usize as u64;
        for _ in 0..2 {
            assert_eq!(objects.owner(tables, own), Some(Owner::Program));
        }
        let libc = libc::getpid as *const () as usize as u64;
        assert_eq!(objects.owner(tables, libc), Some(Owner::Machinery));
        assert_eq!(objects.owner(tables, 8), None);
        let told: Vec<String> = tables.objects.slots().map(|slot| slot.path.get()).collect();
        assert_eq!(told, [std::env::current_exe().unwrap().display().to_string()]);
        objects.clear();
        assert_eq!(objects.recall(own), None);
    }

    #[test]
    fn a_runtime_that_embeds_the_library_is_machinery_unless_it_is_the_program() {
        let shared = SharedArea::<TasksArea>::create(0).unwrap();
        let own = owner_of as fn(&'static [u8]) -> Owner as usize as u64;
        let libc = libc::getpid as *const () as usize as u64;
        for (program, wanted) in [(libc, Owner::Runtime), (own, Owner::Program)] {
            let objects = Objects::new();
            objects.embedded_by(own, program);
            assert_eq!(objects.owner(shared.area().tables(), own), Some(wanted));
        }
    }

    #[test]
    fn machinery_is_known_by_its_file() {
        for path in ["/o/libora.so", "/o/libora_collectors.so", "/l/libc.so.6", "[vdso]", "/memfd:libora.so (deleted)"]
        {
            assert_eq!(owner_of(path.as_bytes()), Owner::Machinery, "{path}");
        }
        for path in ["/w/libgomp-a34b3233.so.1", "/l/libomp.so.5", "/w/libomp-0f.so.5", "/l/libiomp5.so"] {
            assert_eq!(owner_of(path.as_bytes()), Owner::Runtime, "{path}");
        }
        for path in ["/o/liborange.so", "/home/me/a.out", "", "/l/libcolor.so", "/l/libompute.so"] {
            assert_eq!(owner_of(path.as_bytes()), Owner::Program, "{path}");
        }
    }
}
