//! Creation of a libgomp's workers: a patch of its GOT leads its calls of `pthread_create` to a function of ours.

use super::entry::Code;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::*};
use system::objects::{Object, any_object};

/// State of that patch.
pub(super) struct Workers {
    /// The original `pthread_create`; null before the patch.
    pub(super) create: AtomicPtr<c_void>,
    /// Start routine of its workers, from the first creation on; 0 before. libgomp has only one.
    pub(super) start: AtomicUsize,
}

impl Workers {
    pub(super) const fn unknown() -> Self {
        Self { create: AtomicPtr::new(null_mut()), start: AtomicUsize::new(0) }
    }

    /// Forgets the libgomp, before the instance serves another one, or none.
    pub(super) fn forget(&self) {
        self.create.store(null_mut(), Relaxed);
        self.start.store(0, Relaxed);
    }

    /// Leads the calls of `pthread_create` of the libgomp at this base to `ours`.
    pub(super) fn lead(&self, libgomp: usize, ours: Code) {
        if self.create.load(Relaxed).is_null() {
            any_object(&mut |object| {
                let is_it = object.base() == libgomp;
                if is_it {
                    self.lead_calls_of(&object, ours);
                }
                is_it
            });
        }
    }

    fn lead_calls_of(&self, libgomp: &Object, ours: Code) {
        libgomp.uses(c"pthread_create", &mut |import| {
            let now = import.word().load(Relaxed);
            if now == ours.0 as usize {
                return;
            }
            // An unbound import would be bound to the first definition in the global scope, like this library's own calls.
            let real = if libgomp.contains(now) { libc::pthread_create as *const () as usize } else { now };
            // Release: pairs with the load in `worker_end::create`, which is called through the word that is written next.
            self.create.store(real as *mut c_void, Release);
            import.redirect(libgomp, ours.0);
        });
    }

    /// True if threads with this start routine are workers.
    pub(super) fn begin_at(&self, start: usize) -> bool {
        start != 0 && !matches!(self.start.compare_exchange(0, start, Relaxed, Relaxed), Err(other) if other != start)
    }
}
