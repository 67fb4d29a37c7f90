//! Threads of the process: the first one, pauses, a memory barrier on all of them, and the end of each.
#![allow(unsafe_code)] // system calls, and pthread keys

use crate::arch::LOADS_IN_ORDER;
use crate::errno::Errno;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering::*};

/// The kernel's number of the calling thread (gettid(2)), unique among the living threads of the machine.
pub fn id() -> u32 {
    // SAFETY: a system call without arguments. The C library's function of this name came with glibc 2.30.
    let id = unsafe { libc::syscall(libc::SYS_gettid) };
    // It has no error, and numbers have 22 bits at most (proc(5), pid_max).
    u32::try_from(id).unwrap_or(0)
}

/// True if the calling thread is the process's first.
pub fn is_first() -> bool {
    // SAFETY: a system call without arguments.
    let process = unsafe { libc::getpid() };
    id() == process.unsigned_abs()
}

/// Stops the calling thread for so many nanoseconds, less than 10^9, or until a signal comes. Keeps errno.
pub fn pause(nanoseconds: u32) {
    let errno = Errno::save();
    let moment = libc::timespec { tv_sec: 0, tv_nsec: nanoseconds.into() };
    // SAFETY: `moment` is ours to be read, and nothing is written: the second pointer is null (nanosleep(2)).
    unsafe { libc::nanosleep(&raw const moment, ptr::null_mut()) };
    errno.restore();
}

/// Memory barrier on every thread of the process, between two instructions of each (membarrier(2)). On a kernel without
/// it, a window of a few instructions is left. Keeps errno.
pub fn barrier_on_all() {
    let errno = Errno::save();
    for command in [libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED] {
        // SAFETY: a system call that takes two numbers.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0) };
    }
    errno.restore();
}

/// Barrier on every thread of the process before a word of code is made to lead elsewhere, such as one of a GOT. A program's
/// jump by way of that word loads it without an order of its own: the processor may load what lies behind the jump before.
/// From here on it is loaded behind what the calling thread has stored. Keeps errno.
pub fn barrier_before_redirection() {
    if !LOADS_IN_ORDER {
        barrier_on_all();
    }
}

/// A record that belongs to one thread.
pub trait Owned: Sync + 'static {
    /// Called on the thread that ends, when its thread-local objects are destroyed.
    fn thread_ends(&'static self);
}

/// Notification of the ends of threads, by a `pthread_key` (a Rust thread-local would register with the C library at
/// first touch).
#[derive(Debug)]
pub struct Ends<T: 'static> {
    /// The key; `u32::MAX` for none.
    key: AtomicU32,
    records: PhantomData<&'static T>,
}

impl<T: Owned> Default for Ends<T> {
    fn default() -> Self {
        Self::unwatched()
    }
}

impl<T: Owned> Ends<T> {
    /// A watch that is not set up: no end is seen.
    pub const fn unwatched() -> Self {
        Self { key: AtomicU32::new(u32::MAX), records: PhantomData }
    }

    /// Creates the key. To be called once while the library is being loaded.
    pub fn set_up(&self) {
        let mut key = 0;
        // SAFETY: `key` is ours to write; the destructor is never unloaded (the library is linked `-z nodelete`).
        if unsafe { libc::pthread_key_create(&raw mut key, Some(at_end::<T>)) } == 0 {
            // Release: pairs with the load in `set`; publishes the key.
            self.key.store(key, Release);
        }
    }

    /// Watches the calling thread's end: [`Owned::thread_ends`] of `record` is called then.
    pub fn watch(&self, record: &'static T) {
        self.set(ptr::from_ref(record));
    }

    /// Stops watching the calling thread's end.
    pub fn forgo(&self) {
        self.set(ptr::null());
    }

    fn set(&self, record: *const T) {
        // Acquire: pairs with the store in `set_up`.
        let key = self.key.load(Acquire);
        if key != u32::MAX {
            // SAFETY: the key was made by `set_up`. Where the value can't be kept, the thread's end is not seen.
            unsafe { libc::pthread_setspecific(key, record.cast()) };
        }
    }
}

unsafe extern "C" fn at_end<T: Owned>(record: *mut c_void) {
    // SAFETY: the key's value was stored by `watch`, from a reference that is valid for ever; it is not null
    // (pthread_key_create(3)).
    if let Some(record) = unsafe { record.cast::<T>().as_ref() } {
        record.thread_ends();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static ENDED: AtomicU32 = AtomicU32::new(0);

    struct Record(u32);

    impl Owned for Record {
        fn thread_ends(&'static self) {
            ENDED.fetch_add(self.0, Relaxed);
        }
    }

    #[test]
    fn the_end_of_a_watched_thread_is_seen_unless_it_is_forgone() {
        static ENDS: Ends<Record> = Ends::unwatched();
        static RECORDS: [Record; 2] = [Record(1), Record(10)];
        ENDS.set_up();
        let [first, second] = &RECORDS;
        std::thread::spawn(|| ENDS.watch(first)).join().unwrap();
        std::thread::spawn(|| {
            ENDS.watch(second);
            ENDS.forgo();
        })
        .join()
        .unwrap();
        assert_eq!(ENDED.load(Relaxed), 1);
    }

    #[test]
    fn only_the_main_thread_is_the_first() {
        assert!(!std::thread::spawn(is_first).join().unwrap());
    }

    #[test]
    fn pauses_and_barriers_keep_errno() {
        crate::errno::tests::set(libc::EAGAIN);
        pause(u32::MAX); // refused: EINVAL
        barrier_on_all();
        assert_eq!(crate::errno::tests::get(), libc::EAGAIN);
    }
}
