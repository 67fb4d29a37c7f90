//! Loops with a static schedule, and `distribute` constructs, in gcc's code: it asks libgomp for the number of threads, then for the
//! thread's own number, and divides the iterations itself.
//!
//! The table of call sites has the return addresses of the second calls. Once an OMPT tool has attached, the imports of the two routines
//! are patched in the objects of the table, and nowhere else. The construct ends with the next barrier, the next such call, or the region.

use super::call_sites;
use super::entry::Code;
use super::names::Entry;
use super::runtime::Runtimes;
use ::call_sites::Kind;
use ompt_core::detail::Work;
use ompt_core::dispatch::armed;
use ompt_core::event::Span;
use ompt_core::thread::here;
use std::ffi::CStr;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering::*};
use system::objects::{Import, Object, any_object};

/// Largest number of routines that are patched: two for each libgomp.
pub(super) const ROUTINES: usize = 8;

/// Bytes from one trampoline to the next.
pub(super) const TRAMPOLINE: usize = system::arch::NUMBERED_BYTES;

/// The real routine of each trampoline.
static REAL: [AtomicPtr<()>; ROUTINES] = [const { AtomicPtr::new(null_mut()) }; ROUTINES];

const NAMES: [(&CStr, Entry); 2] =
    [(c"omp_get_thread_num", Entry::omp_get_thread_num), (c"omp_get_team_num", Entry::omp_get_team_num)];

/// Leads the calls of the objects with call sites to these trampolines, which call [`called`].
pub(super) fn lead(runtimes: &Runtimes, trampolines: Code) {
    if !call_sites::are_known() {
        return;
    }
    any_object(&mut |object| {
        if call_sites::has_object(object.base()) {
            object.imports(is_wanted, &mut |import| lead_import(runtimes, trampolines, &object, &import));
        }
        false
    });
}

fn is_wanted(name: &CStr) -> bool {
    NAMES.iter().any(|(wanted, _)| *wanted == name)
}

fn lead_import(runtimes: &Runtimes, trampolines: Code, object: &Object, import: &Import<'_>) {
    let Some((_, entry)) = NAMES.iter().find(|(name, _)| *name == import.name) else { return };
    let now = import.word().load(Relaxed);
    let addresses = || runtimes.all.iter().filter_map(|runtime| runtime.address(*entry as usize));
    let bound = addresses().find(|real| real.0.addr() == now);
    // An import that isn't bound yet belongs to the only libgomp.
    let only = || addresses().next().filter(|_| addresses().count() == 1 && !is_ours(trampolines, now));
    let Some(real) = bound.or_else(only) else { return };
    let is_free = |place: &AtomicPtr<()>| {
        // Release: pairs with the load in `called`: calls get there through the word that is written next.
        let known = place.compare_exchange(null_mut(), real.0.cast_mut(), Release, Relaxed);
        known.is_ok() || known == Err(real.0.cast_mut())
    };
    if let Some(number) = REAL.iter().position(is_free) {
        import.redirect(object, trampolines.0.wrapping_byte_add(number * TRAMPOLINE));
    }
}

fn is_ours(trampolines: Code, address: usize) -> bool {
    address.wrapping_sub(trampolines.0.addr()) < ROUTINES * TRAMPOLINE
}

/// Reports the construct that a call of a routine begins, if it begins one, and returns the real routine.
pub(super) fn called(routine: usize, return_address: usize) -> Code {
    if armed(Span::WORK.events())
        && let Some(kind) = call_sites::kind(return_address)
    {
        begin(kind, return_address);
    }
    // Acquire: pairs with the exchange in `lead_import`.
    Code(REAL.get(routine).map_or(null_mut(), |real| real.load(Acquire)))
}

#[inline(never)]
fn begin(kind: Kind, return_address: usize) {
    let work = match kind {
        Kind::Loop => Work::LoopStatic,
        Kind::Distribute => Work::Distribute,
        _ => return,
    };
    // Outside of all regions nothing would end a loop without a barrier.
    let Some(thread) = here().filter(|thread| thread.current.region().is_some()) else { return };
    thread.constructs().open_inlined(work, return_address);
}
