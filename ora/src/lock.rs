//! Lock for all changes of a session. Events and queries never take it.
#![allow(unsafe_code)] // a POSIX mutex: unlike Rust's, it may be unlocked in a forked child

use std::cell::UnsafeCell;
use system::objects;

struct Mutex(UnsafeCell<libc::pthread_mutex_t>);

// SAFETY: the cell is passed only to `pthread_mutex_lock` and `_unlock`, which any thread may call on one mutex
// (POSIX).
unsafe impl Sync for Mutex {}

static MUTEX: Mutex = Mutex(UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER));

/// Guard of the lock, which releases it when it is dropped.
pub(crate) struct Held(());

pub(crate) fn hold() -> Held {
    // SAFETY: `MUTEX` is initialised by `PTHREAD_MUTEX_INITIALIZER`, is never moved and never destroyed.
    unsafe { libc::pthread_mutex_lock(MUTEX.0.get()) };
    Held(())
}

impl Drop for Held {
    fn drop(&mut self) {
        release();
    }
}

fn release() {
    // SAFETY: the calling thread holds the mutex: by its `Held`, or since `before_fork` (in a child as the forking
    // thread).
    unsafe { libc::pthread_mutex_unlock(MUTEX.0.get()) };
}

/// Registers fork handlers that keep the lock consistent: the forking thread holds it, and both sides release it. No thread walks the list
/// of loaded objects meanwhile. `child` runs in the child before the release.
pub(crate) fn set_up(child: unsafe extern "C" fn()) {
    // SAFETY: pthread_atfork(3) takes functions without arguments; these are never unloaded (linked `-z nodelete`).
    unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork_in_parent), Some(child)) };
}

unsafe extern "C" fn before_fork() {
    std::mem::forget(hold());
    objects::before_fork();
}

unsafe extern "C" fn after_fork_in_parent() {
    objects::after_fork_in_parent();
    release();
}

/// Releases the lock after fork: the last step in the child.
pub(crate) unsafe extern "C" fn after_fork() {
    release();
}
