//! First use by runtime routines that are not interposed, such as `omp_get_max_threads`. Their first call arrives here by GOT patching, and
//! all of them are then patched back to libgomp.
#![allow(unsafe_code)] // naked trampolines; writes into relocated places of other objects

use super::entry::{Code, calls_openmp, symbol};
use super::lookup_scope::is_libgomp;
use super::names::EXPORTED;
use ompt_core::first_use;
use std::ffi::CStr;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::*, fence};
use system::errno::Errno;
use system::linker::Scope;
use system::objects::{Import, any_object};

/// Limits on the routines and GOT places that are patched. Further ones do not count as a first use.
const ROUTINES: usize = 64;
const CAPACITY: usize = 256;

/// The real routine for each trampoline.
static REAL: [AtomicPtr<()>; ROUTINES] = [const { AtomicPtr::new(null_mut()) }; ROUTINES];
/// GOT places that hold a trampoline's address.
static LED: [AtomicPtr<usize>; CAPACITY] = [const { AtomicPtr::new(null_mut()) }; CAPACITY];
static LAST: AtomicUsize = AtomicUsize::new(0);

/// Patches the imports of routines. Called once, while the library is being loaded.
pub(super) fn await_use() {
    let mut routines = [null_mut::<()>(); ROUTINES];
    any_object(&mut |object| {
        if object.is_own() || is_libgomp(&object) {
            return false;
        }
        object.imports(calls_openmp, &mut |import| {
            if let Some(trampoline) = trampoline_for(&import, &mut routines)
                && LAST.load(Relaxed) < CAPACITY
                && import.redirect(&object, trampoline.0)
                && let Some(led) = LED.get(LAST.fetch_add(1, Relaxed))
            {
                led.store(import.place, Relaxed);
            }
        });
        false
    });
}

/// The trampoline that replaces an imported routine; `None` if the import is something else, or no trampoline is left.
fn trampoline_for(import: &Import<'_>, routines: &mut [*mut (); ROUTINES]) -> Option<Code> {
    // Timers need no runtime.
    const TIMERS: [&CStr; 4] = [c"omp_get_wtime", c"omp_get_wtime_", c"omp_get_wtick", c"omp_get_wtick_"];
    if !import.name.to_bytes().starts_with(b"omp_") || TIMERS.contains(&import.name) {
        return None;
    }
    let real = Scope::Next.symbol(import.name)?.cast::<()>();
    // Exported entries show the first use themselves.
    let ours = (0..EXPORTED).any(|entry| symbol(entry).is_some_and(|(name, _)| name == import.name));
    if ours || import.word().load(Relaxed) == 0 {
        return None;
    }
    let number = routines.iter().position(|known| known.is_null() || *known == real)?;
    *routines.get_mut(number)? = real;
    // Release: pairs with the loads in `note_use` and `restore`. Calls reach the trampoline only after this, by
    // `Import::redirect`.
    REAL.get(number)?.store(real, Release);
    Some(Code((trampolines as *const ()).wrapping_byte_add(number * TRAMPOLINE)))
}

const TRAMPOLINE: usize = system::arch::NUMBERED_BYTES;

system::numbered_table! {
    /// Trampolines, one for each routine.
    fn trampolines, ROUTINES, TRAMPOLINE, used
}

system::resolver! {
    fn used, note_use
}

/// Records the first use, and returns the real routine.
extern "C-unwind" fn note_use(routine: usize, _return_address: usize, _first_argument: usize) -> Code {
    // Acquire: pairs with the store in `Import::redirect`. The call came through that word, which the program's jump loads without any
    // ordering; what `trampoline_for` stored before is seen from here on.
    fence(Acquire);
    let errno = Errno::save();
    if first_use::is_awaited() {
        for led in LED.iter().take(LAST.load(Relaxed)) {
            restore(led);
        }
        first_use::handle();
    }
    errno.restore();
    // Acquire: pairs with the store in `trampoline_for`.
    Code(REAL.get(routine).map_or(null_mut(), |real| real.load(Acquire)))
}

/// Restores the routine's own address in a patched place.
fn restore(led: &AtomicPtr<usize>) {
    // AcqRel pairs with nothing: `await_use` filled the entry while the library was being loaded. The exchange gives it to one of the
    // threads that come here.
    let led = led.swap(null_mut(), AcqRel);
    if led.is_null() {
        return;
    }
    // SAFETY: an aligned word that holds an address, by a relocation of an object that was loaded with the program and stays loaded
    // (`await_use`); `Import::redirect` left its page writable.
    let led = unsafe { AtomicUsize::from_ptr(led) };
    let trampoline = led.load(Relaxed).wrapping_sub(trampolines as *const () as usize);
    // Acquire: pairs with the store in `trampoline_for`.
    if let Some(real) = REAL.get(trampoline / TRAMPOLINE).map(|real| real.load(Acquire) as usize) {
        // Release: pairs with the calls through the word, as in `Import::redirect`; they read nothing else that belongs to this library.
        led.store(real, Release);
    }
}
