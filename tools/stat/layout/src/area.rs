//! Shared memory. Unsafe: `mmap` and the mapped memory.
//!
//! `ora` creates a file without a name ([`nameless`]).
#![allow(unsafe_code)]

use std::ffi::{CStr, c_void};
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::os::fd::{AsRawFd, RawFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{
    AtomicPtr, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

use attach_inside::nameless;

use crate::process_table::ProcessTable;

/// Layout of shared memory: a fixed part, followed by a sequence of items.
///
/// # Safety
/// Both types are made of atomics, are valid when all zero, and don't need a destructor.
pub unsafe trait Shared: 'static {
    /// Item of the sequence after the fixed part.
    type Item: 'static;
    /// The name of the unnamed file, as `/proc` shows it.
    const NAME: &'static CStr;
    /// First word of the memory: the collector's magic number.
    const MAGIC: u64;
    /// Changed with every change of the layout.
    const VERSION: u32;
    /// The process table, at the start of the memory.
    fn process_table(&self) -> &ProcessTable;
}

/// Upper bound for the size of another process's sequence of items that is mapped, in bytes.
const LARGEST_ROW: usize = 1 << 32;
/// Access to a mapping.
const READ: i32 = libc::PROT_READ;
const WRITE: i32 = libc::PROT_WRITE;

/// A piece of mapped memory.
#[derive(Debug)]
struct Mapping<T> {
    start: NonNull<T>,
    bytes: usize,
}

/// The side of the shared memory that `ora` has.
#[derive(Debug)]
pub struct SharedArea<T: Shared> {
    file: File,
    mapped: Mapping<T>,
    of: PhantomData<T>,
}

// SAFETY: the shared memory doesn't belong to a thread: it consists of atomics, and other processes write it anyway.
unsafe impl<T: Shared> Send for SharedArea<T> {}
// SAFETY: the shared memory consists of atomics (`Shared`), and other processes write it meanwhile.
unsafe impl<T: Shared> Sync for SharedArea<T> {}

impl<T: Shared> SharedArea<T> {
    /// Creates empty memory, with a sequence of `items` items after the fixed part.
    ///
    /// # Errors
    /// If the system refuses the memory.
    pub fn create(items: usize) -> io::Result<Self> {
        let (file, bytes) = file_of::<T>(items)?;
        let shared = Self { mapped: Mapping::of(file.as_raw_fd(), bytes, READ | WRITE)?, file, of: PhantomData };
        let header = &shared.area().process_table().header;
        header.version.store(T::VERSION, Relaxed);
        // Release: pairs with the load in `map`; publishes the version.
        header.magic.store(T::MAGIC, Release);
        Ok(shared)
    }

    /// Maps the memory that a collector in another process has created, for reading: nothing in it may be stored to.
    ///
    /// # Errors
    /// If its size isn't fixed, so that the other process could make the mapping invalid, or if it is something else.
    pub fn from_file(file: File) -> io::Result<Self> {
        nameless::check_fixed(&file, size_of::<T>() as u64)?;
        let bytes = usize::try_from(file.metadata()?.len()).map_err(|_| io::ErrorKind::OutOfMemory)?;
        if bytes - size_of::<T>() > LARGEST_ROW {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let shared = Self { mapped: Mapping::of(file.as_raw_fd(), bytes, READ)?, file, of: PhantomData };
        if is_ours(shared.area()) { Ok(shared) } else { Err(io::ErrorKind::InvalidData.into()) }
    }

    /// The fixed part.
    pub fn area(&self) -> &T {
        // SAFETY: `create` or `from_file` mapped these bytes, all zero, which every field allows; they stay mapped until drop, and all
        // fields are atomics, so that other processes may write them meanwhile.
        unsafe { self.mapped.start.as_ref() }
    }

    /// Items of the sequence after the fixed part.
    pub fn items(&self) -> &[T::Item] {
        let (start, length) = self.mapped.row();
        // SAFETY: `create` or `from_file` mapped these bytes, all zero at first, made of atomics (`Shared`), until drop;
        // the row lies within the mapping.
        unsafe { std::slice::from_raw_parts(start, length) }
    }

    /// Lets the program that is about to be executed inherit the file. To be called between fork and exec.
    pub fn pass_on(&self) {
        nameless::pass_on(&self.file);
    }

    /// Size of the part that takes up memory.
    #[cfg(test)]
    #[inline]
    pub fn allocated_bytes(&self) -> u64 {
        use std::os::unix::fs::MetadataExt;
        self.file.metadata().map_or(0, |file| file.blocks() * 512)
    }

    /// Path by which other processes open the file while this process is alive.
    pub fn path(&self) -> String {
        nameless::path(&self.file)
    }
}

impl<T: Shared> Drop for SharedArea<T> {
    fn drop(&mut self) {
        // SAFETY: mapped by `create` or `from_file` with this size; `area` lends it only for the life of `self`.
        unsafe { libc::munmap(self.mapped.start.as_ptr().cast(), self.mapped.bytes) };
    }
}

/// The collector's side: stays mapped as long as the process is alive. `None` if the file doesn't exist, or is
/// something else. Allocates nothing.
#[cfg_attr(not(test), expect(clippy::disallowed_methods, reason = "the program opens it, with its own rights"))]
#[inline]
pub fn open<T: Shared>(path: &CStr) -> Option<(&'static T, &'static [T::Item])> {
    if let Some(area) = nameless::inherited(path).and_then(map) {
        return Some(area);
    }
    // SAFETY: `path` is a C string; the call only reads it.
    let fd = unsafe { libc::open(path.as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
    if fd < 0 {
        return None;
    }
    let area = map(fd);
    // SAFETY: opened above, used nowhere else; a mapping outlives its descriptor.
    unsafe { libc::close(fd) };
    area
}

/// Maps an open file, if its size, magic number and version are those of a `T`.
fn map<T: Shared>(fd: RawFd) -> Option<(&'static T, &'static [T::Item])> {
    let bytes = size_of_file(fd).filter(|bytes| *bytes >= size_of::<T>())?;
    let mapped = Mapping::<T>::of(fd, bytes, READ | WRITE).ok()?;
    // SAFETY: as large as a `T`, never unmapped, and atomics throughout.
    let area = unsafe { mapped.start.as_ref() };
    let (start, length) = mapped.row();
    // SAFETY: the row lies within the mapping, which is never unmapped, and is made of atomics (`Shared`).
    let items = unsafe { std::slice::from_raw_parts(start, length) };
    is_ours(area).then_some((area, items))
}

/// True if magic number and version are those of a `T`.
fn is_ours<T: Shared>(area: &T) -> bool {
    let header = &area.process_table().header;
    // Acquire: pairs with the stores in `SharedArea::create` and `Place::make`; publishes the version.
    header.magic.load(Acquire) == T::MAGIC && header.version.load(Relaxed) == T::VERSION
}

/// An empty file for a `T` followed by a sequence of `items` items, and its size.
fn file_of<T: Shared>(items: usize) -> io::Result<(File, usize)> {
    let bytes = items.checked_mul(size_of::<T::Item>()).and_then(|row| row.checked_add(size_of::<T>()));
    let bytes = bytes.ok_or(io::ErrorKind::OutOfMemory)?;
    Ok((nameless::create_fixed(T::NAME, bytes as u64)?, bytes))
}

/// Range of addresses for the memory of a collector that is attached several times. It stays mapped between the sessions, so
/// that a late thread writes to memory that nobody reads.
#[derive(Debug)]
pub struct Place {
    start: AtomicPtr<c_void>,
    bytes: AtomicUsize,
}

impl Place {
    /// No addresses yet.
    #[inline]
    pub const fn none() -> Self {
        Self { start: AtomicPtr::new(ptr::null_mut()), bytes: AtomicUsize::new(0) }
    }

    /// Creates the empty memory of a session, and its file. To be called by one thread at a time, while no session is
    /// open.
    ///
    /// # Errors
    /// If the system refuses the memory.
    #[allow(clippy::type_complexity, reason = "as `open`, with the file")]
    #[inline]
    pub fn make<T: Shared>(&self, items: usize) -> io::Result<(File, &'static T, &'static [T::Item])> {
        let (file, bytes) = file_of::<T>(items)?;
        if self.bytes.load(Relaxed) < bytes {
            // The smaller range stays reserved: there may still be references to it.
            self.start.store(reserve(ptr::null_mut(), bytes)?, Relaxed);
            self.bytes.store(bytes, Relaxed);
        }
        let (start, access) = (self.start.load(Relaxed), READ | WRITE);
        // SAFETY: replaces addresses that `reserve` mapped for this purpose, all atomics to those who may still have references.
        let mapped =
            unsafe { libc::mmap(start, bytes, access, libc::MAP_SHARED | libc::MAP_FIXED, file.as_raw_fd(), 0) };
        if mapped == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the range was mapped just now. Keeps it out of core dumps; a refusal does no harm.
        unsafe { libc::madvise(start, bytes, libc::MADV_DONTDUMP) };
        let mapping = Mapping { start: NonNull::new(start.cast::<T>()).ok_or(io::ErrorKind::OutOfMemory)?, bytes };
        // SAFETY: as large as a `T`, never unmapped, zero, and atomics throughout.
        let area = unsafe { mapping.start.as_ref() };
        let (row, length) = mapping.row();
        // SAFETY: the row lies within the mapping, which is never unmapped, and is made of atomics (`Shared`).
        let items = unsafe { std::slice::from_raw_parts(row, length) };
        let header = &area.process_table().header;
        header.version.store(T::VERSION, Relaxed);
        // Release: pairs with the load in `is_ours`; publishes the version.
        header.magic.store(T::MAGIC, Release);
        Ok((file, area, items))
    }

    /// Gives the memory back; the addresses stay reserved, and may be written.
    #[inline]
    pub fn give_back(&self) {
        let _ = reserve(self.start.load(Relaxed), self.bytes.load(Relaxed));
    }
}

/// Maps private memory, zero and untouched: anywhere, or in place of what is mapped at an address.
fn reserve(at: *mut c_void, bytes: usize) -> io::Result<*mut c_void> {
    let fixed = if at.is_null() { 0 } else { libc::MAP_FIXED };
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | fixed;
    // SAFETY: a new mapping where the kernel chooses, or in place of one that `Place` owns.
    let start = unsafe { libc::mmap(at, bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if start == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(start) }
}

fn size_of_file(fd: RawFd) -> Option<usize> {
    // SAFETY: all zero is a valid `stat`.
    let mut about: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: `about` is writable.
    let answer = unsafe { libc::fstat(fd, &raw mut about) };
    if answer == 0 { usize::try_from(about.st_size).ok() } else { None }
}

impl<T: Shared> Mapping<T> {
    fn of(fd: RawFd, bytes: usize, access: i32) -> io::Result<Self> {
        // SAFETY: a new mapping at a place that the kernel chooses touches nobody's memory.
        let start = unsafe { libc::mmap(ptr::null_mut(), bytes, access, libc::MAP_SHARED, fd, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // Keeps it out of the program's core dumps. A refusal does no harm. SAFETY: the range was mapped two lines
        // up.
        unsafe { libc::madvise(start, bytes, libc::MADV_DONTDUMP) };
        let start = NonNull::new(start.cast()).ok_or_else(|| io::Error::other("mapped at address 0"))?;
        Ok(Self { start, bytes })
    }

    fn row(&self) -> (*const T::Item, usize) {
        const { assert!(size_of::<T>().is_multiple_of(align_of::<T::Item>()) && size_of::<T::Item>() > 0) };
        // SAFETY: the mapping is at least as large as a `T`.
        let behind = unsafe { self.start.as_ptr().add(1) };
        (behind.cast(), (self.bytes - size_of::<T>()) / size_of::<T::Item>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stat::layout::Area;
    use std::ffi::CString;
    use std::io::Read as _;

    fn path<T: Shared>(of: &SharedArea<T>) -> CString {
        CString::new(of.path()).unwrap()
    }

    #[test]
    fn what_one_end_writes_the_other_end_reads() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let (other, row) = open::<Area>(&path(&shared)).unwrap();
        other.process_table.header.others.store(42, Relaxed);
        assert_eq!(shared.area().process_table.header.others.load(Relaxed), 42);
        assert!(row.is_empty());
    }

    #[test]
    fn both_ends_agree_on_the_row_behind() {
        use crate::tasks::layout::TasksArea;
        let shared = SharedArea::<TasksArea>::create(3).unwrap();
        let (_, row) = open::<TasksArea>(&path(&shared)).unwrap();
        row[2].id.store(7, Relaxed);
        assert_eq!((row.len(), shared.items()[2].id.load(Relaxed)), (3, 7));
    }

    #[test]
    fn no_process_can_change_the_size_of_what_is_shared() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let other = || File::options().read(true).write(true).open(shared.path()).unwrap();
        other().set_len(0).unwrap_err();
        SharedArea::<Area>::from_file(other()).unwrap();
        let (attached, ..) = Place::none().make::<Area>(0).unwrap();
        attached.set_len(0).unwrap_err();
    }

    #[test]
    fn memory_whose_size_can_change_and_rows_without_end_are_refused() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let open = nameless::create(Area::NAME).unwrap();
        io::copy(&mut File::open(shared.path()).unwrap().take(64), &mut &open).unwrap();
        open.set_len(size_of::<Area>() as u64).unwrap();
        SharedArea::<Area>::from_file(open.try_clone().unwrap()).unwrap_err();
        system::nameless_file::fix_size(&open);
        SharedArea::<Area>::from_file(open).unwrap();
        let endless = nameless::create_fixed(Area::NAME, 1 << 40).unwrap();
        assert_eq!(SharedArea::<Area>::from_file(endless).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn files_that_are_something_else_are_refused() {
        let refused = |path: &CStr| open::<Area>(path).is_none();
        assert!(refused(c"/dev/null"));
        assert!(refused(c"/no/such/file"));
        assert!(refused(c"/proc/self/exe"));
        let shared = SharedArea::<Area>::create(0).unwrap();
        assert!(!refused(&path(&shared)));
        assert!(open::<crate::tasks::layout::TasksArea>(&path(&shared)).is_none());
        shared.area().process_table.header.version.store(Area::VERSION + 1, Relaxed);
        assert!(refused(&path(&shared)));
    }
}
