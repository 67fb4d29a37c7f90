//! ThreadSanitizer's functions, as exported by the program's instance of its runtime.
#![allow(unsafe_code)] // calls ThreadSanitizer

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::mem::transmute;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use system::linker::Scope;

type OfAddress = unsafe extern "C" fn(*const c_void);
type Store = unsafe extern "C" fn(*const AtomicU64, u64, c_int);
type Create = unsafe extern "C" fn(c_uint) -> *mut c_void;
type Current = unsafe extern "C" fn() -> *mut c_void;
type Switch = unsafe extern "C" fn(*mut c_void, c_uint);
type Name = unsafe extern "C" fn(*mut c_void, *const std::ffi::c_char);
type Range = unsafe extern "C" fn(*const c_void, usize, *const c_void);
type Exit = unsafe extern "C" fn();
type Ignore = unsafe extern "C" fn(*const std::ffi::c_char, c_int);

/// `memory_order_release`, as ThreadSanitizer's atomic functions number it (tsan_interface_atomic.h).
const RELEASE: c_int = 3;
/// `__tsan_switch_to_fiber_no_sync` (tsan_interface.h).
const NO_ORDER: c_uint = 1;

/// A ThreadSanitizer thread: a real one, or a fiber.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Context(pub(crate) usize);

impl Context {
    fn pointer(self) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(self.0)
    }
}

/// Functions of the program's ThreadSanitizer.
#[derive(Debug)]
pub(crate) struct Sanitizer {
    acquire: OfAddress,
    release: OfAddress,
    store: Store,
    enter: OfAddress,
    exit: Exit,
    read: OfAddress,
    write: OfAddress,
    /// Reads and writes of ranges.
    ranges: Option<[Range; 2]>,
    /// Start and end of accesses that are ignored.
    ignore: Option<[Ignore; 2]>,
    fibers: Option<Fibers>,
}

#[derive(Clone, Copy, Debug)]
struct Fibers {
    create: Create,
    current: Current,
    switch: Switch,
    name: Name,
}

/// The program's ThreadSanitizer; `None` if it has none, or one whose functions can't be found.
pub(crate) fn sanitizer() -> Option<&'static Sanitizer> {
    static FOUND: OnceLock<Option<Sanitizer>> = OnceLock::new();
    FOUND.get_or_init(find).as_ref()
}

/// Address of one of its functions, which the caller converts to the right type.
fn function(name: &CStr) -> Option<*mut c_void> {
    Scope::Default.symbol(name)
}

fn find() -> Option<Sanitizer> {
    Some(Sanitizer {
        // SAFETY: `void __tsan_acquire (void *)` (tsan_interface.h).
        acquire: unsafe { transmute::<*mut c_void, OfAddress>(function(c"__tsan_acquire")?) },
        // SAFETY: `void __tsan_release (void *)` (tsan_interface.h).
        release: unsafe { transmute::<*mut c_void, OfAddress>(function(c"__tsan_release")?) },
        // SAFETY: `void __tsan_atomic64_store (volatile a64 *, a64, int)` (tsan_interface_atomic.h).
        store: unsafe { transmute::<*mut c_void, Store>(function(c"__tsan_atomic64_store")?) },
        // SAFETY: `void __tsan_func_entry (void *)` (tsan_interface.h).
        enter: unsafe { transmute::<*mut c_void, OfAddress>(function(c"__tsan_func_entry")?) },
        // SAFETY: `void __tsan_func_exit (void)` (tsan_interface.h).
        exit: unsafe { transmute::<*mut c_void, Exit>(function(c"__tsan_func_exit")?) },
        // SAFETY: `void __tsan_read8 (void *)` (tsan_interface.h).
        read: unsafe { transmute::<*mut c_void, OfAddress>(function(c"__tsan_read8")?) },
        // SAFETY: `void __tsan_write8 (void *)` (tsan_interface.h).
        write: unsafe { transmute::<*mut c_void, OfAddress>(function(c"__tsan_write8")?) },
        ranges: find_ranges(),
        ignore: find_ignore(),
        fibers: find_fibers(),
    })
}

fn find_ranges() -> Option<[Range; 2]> {
    Some([
        // SAFETY: `void __tsan_read_range_pc (void *, unsigned long, void *)` (tsan_interface.h).
        unsafe { transmute::<*mut c_void, Range>(function(c"__tsan_read_range_pc")?) },
        // SAFETY: `void __tsan_write_range_pc (void *, unsigned long, void *)` (tsan_interface.h).
        unsafe { transmute::<*mut c_void, Range>(function(c"__tsan_write_range_pc")?) },
    ])
}

fn find_ignore() -> Option<[Ignore; 2]> {
    Some([
        // SAFETY: `void AnnotateIgnoreWritesBegin (char *, int)` (tsan_interface_ann.cpp).
        unsafe { transmute::<*mut c_void, Ignore>(function(c"AnnotateIgnoreWritesBegin")?) },
        // SAFETY: `void AnnotateIgnoreWritesEnd (char *, int)` (tsan_interface_ann.cpp).
        unsafe { transmute::<*mut c_void, Ignore>(function(c"AnnotateIgnoreWritesEnd")?) },
    ])
}

fn find_fibers() -> Option<Fibers> {
    Some(Fibers {
        // SAFETY: `void *__tsan_create_fiber (unsigned)` (sanitizer/tsan_interface.h).
        create: unsafe { transmute::<*mut c_void, Create>(function(c"__tsan_create_fiber")?) },
        // SAFETY: `void *__tsan_get_current_fiber (void)` (sanitizer/tsan_interface.h).
        current: unsafe { transmute::<*mut c_void, Current>(function(c"__tsan_get_current_fiber")?) },
        // SAFETY: `void __tsan_switch_to_fiber (void *, unsigned)` (sanitizer/tsan_interface.h).
        switch: unsafe { transmute::<*mut c_void, Switch>(function(c"__tsan_switch_to_fiber")?) },
        // SAFETY: `void __tsan_set_fiber_name (void *, const char *)` (sanitizer/tsan_interface.h).
        name: unsafe { transmute::<*mut c_void, Name>(function(c"__tsan_set_fiber_name")?) },
    })
}

impl Sanitizer {
    /// True if it has fibers.
    pub(crate) fn has_fibers(&self) -> bool {
        self.fibers.is_some()
    }

    /// Orders the calling context's past before what follows [`acquire`](Self::acquire) of the same clock, in addition to what
    /// the clock already has.
    pub(crate) fn release(&self, clock: &AtomicU64) {
        self.release_at(clock.as_ptr().cast());
    }

    /// [`release`](Self::release) to the clock of any address of the program's memory.
    pub(crate) fn release_at(&self, address: *const c_void) {
        // SAFETY: `__tsan_release` uses the address only as a key.
        unsafe { (self.release)(address) }
    }

    /// Orders what follows after the past of each context that has released to the clock.
    pub(crate) fn acquire(&self, clock: &AtomicU64) {
        self.acquire_at(clock.as_ptr().cast());
    }

    /// [`acquire`](Self::acquire) from the clock of any address of the program's memory.
    pub(crate) fn acquire_at(&self, address: *const c_void) {
        // SAFETY: `__tsan_acquire` uses the address only as a key.
        unsafe { (self.acquire)(address) }
    }

    /// Replaces the clock's content by the calling context's past. Stores 1 in its word.
    pub(crate) fn replace(&self, clock: &AtomicU64) {
        // SAFETY: the word is an aligned, valid atomic of 64 bits, which `clock` borrows.
        unsafe { (self.store)(clock, 1, RELEASE) }
    }

    /// Calls a function as if it were called by instrumented code, and returned to `place`.
    pub(crate) fn within<T>(&self, place: usize, function: impl FnOnce() -> T) -> T {
        self.enter_function(place);
        let result = function();
        self.leave_function();
        result
    }

    /// Records that a function is entered which returns to `place`. [`leave_function`](Self::leave_function) has to follow in the
    /// same context.
    pub(crate) fn enter_function(&self, place: usize) {
        // SAFETY: `__tsan_func_entry` records any address as that of a call.
        unsafe { (self.enter)(std::ptr::without_provenance(place)) }
    }

    /// Records that the function that was entered last is left.
    pub(crate) fn leave_function(&self) {
        // SAFETY: according to `enter_function`'s comment, a function was entered in this context.
        unsafe { (self.exit)() }
    }

    /// Starts to ignore the calling context's accesses, or ends that, as often as it was started. ThreadSanitizer has one counter
    /// for reads and writes.
    pub(crate) fn ignore(&self, starts: bool) {
        let Some([start, end]) = self.ignore else { return };
        let function = if starts { start } else { end };
        // SAFETY: the file's name and the line are not read.
        unsafe { function(c"".as_ptr(), 0) }
    }

    /// Records a read of 8 bytes that does not actually happen.
    pub(crate) fn note_read(&self, place: &AtomicU64) {
        // SAFETY: `__tsan_read8` takes the address of eight aligned bytes of memory, which `place` borrows.
        unsafe { (self.read)(place.as_ptr().cast()) }
    }

    /// Records a write of 8 bytes that does not actually happen.
    pub(crate) fn note_write(&self, place: &AtomicU64) {
        // SAFETY: `__tsan_write8` takes the address of eight aligned bytes of memory, which `place` borrows.
        unsafe { (self.write)(place.as_ptr().cast()) }
    }

    /// Records an access to a range of memory, by code that continues at `caller`.
    pub(crate) fn note_range(&self, writes: bool, start: usize, size: usize, caller: usize) {
        let Some([read, write]) = self.ranges else { return };
        let note = if writes { write } else { read };
        // SAFETY: `__tsan_read_range_pc` and `__tsan_write_range_pc` record an access to memory of the program
        // without making it.
        unsafe { note(std::ptr::without_provenance(start), size, std::ptr::without_provenance(caller)) }
    }

    /// A new fiber, ordered after the past of the calling context.
    pub(crate) fn new_fiber(&self) -> Option<Context> {
        // SAFETY: `__tsan_create_fiber` takes flags, none of which is set.
        let fiber = unsafe { (self.fibers?.create)(0) };
        (!fiber.is_null()).then(|| Context(fiber.expose_provenance()))
    }

    /// The context of the calling thread; `None` without fibers.
    pub(crate) fn current(&self) -> Option<Context> {
        // SAFETY: `__tsan_get_current_fiber` takes nothing.
        self.fibers.map(|fibers| Context(unsafe { (fibers.current)() }.expose_provenance()))
    }

    /// Makes the calling thread run a context that no thread runs, without an order.
    pub(crate) fn switch(&self, to: Context) {
        if let Some(fibers) = self.fibers {
            // SAFETY: `to` came from `new_fiber` or `current`; contexts are never destroyed while a record has them.
            unsafe { (fibers.switch)(to.pointer(), NO_ORDER) }
        }
    }

    /// Gives a fiber its name, from which a report shows to whom an access belongs.
    pub(crate) fn name(&self, fiber: Context, name: &CStr) {
        if let Some(fibers) = self.fibers {
            // SAFETY: `fiber` came from `new_fiber`; the name is a C string, which is copied.
            unsafe { (fibers.name)(fiber.pointer(), name.as_ptr()) }
        }
    }
}

/// Path of the object that has ThreadSanitizer's functions.
pub(crate) fn library() -> Option<&'static CStr> {
    let info = object_of(function(c"__tsan_acquire")?)?;
    // SAFETY: if an object was found, the name is the linker's C string, which stays as long as the object.
    (!info.dli_fname.is_null()).then(|| unsafe { CStr::from_ptr(info.dli_fname) })
}

/// True if this library's function of this name is the first in the process. If an earlier library has one, this library's own
/// address of the function is that library's.
pub(crate) fn is_first(name: &CStr) -> bool {
    let base = |address| object_of(address).map(|info| info.dli_fbase);
    let own = base((find as *const ()).cast_mut().cast());
    function(name).is_some_and(|first| own.is_some() && base(first) == own)
}

/// The object that contains an address.
fn object_of(address: *mut c_void) -> Option<libc::Dl_info> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: dladdr(3) takes any address, and writes to `info`.
    let found = unsafe { libc::dladdr(address, info.as_mut_ptr()) };
    // SAFETY: zero is a value of each of its fields, which are pointers.
    let info = unsafe { info.assume_init() };
    (found != 0).then_some(info)
}
