//! Threads of the process: which is the first one, pauses, a memory barrier on all of them, and notification of their
//! ends.
#![allow(unsafe_code)] // system calls, and pthread keys

use crate::arch::LOADS_IN_ORDER;
use crate::errno::Errno;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering::*};

/// The kernel's number of the calling thread (gettid(2)), unique among the machine's living threads.
pub fn id() -> u32 {
    // SAFETY: a system call without arguments. The C library's function of this name came with glibc 2.30.
    let id = unsafe { libc::syscall(libc::SYS_gettid) };
    // It never fails, and thread numbers have at most 22 bits (proc(5), pid_max).
    u32::try_from(id).unwrap_or(0)
}

/// True if the calling thread is the process's first.
pub fn is_first() -> bool {
    // SAFETY: a system call without arguments.
    let process = unsafe { libc::getpid() };
    id() == process.unsigned_abs()
}

/// Stops the calling thread for `nanoseconds`, less than 10^9, or until a signal arrives. Keeps errno.
pub fn pause(nanoseconds: u32) {
    let errno = Errno::save();
    let moment = libc::timespec { tv_sec: 0, tv_nsec: nanoseconds.into() };
    // SAFETY: `moment` is ours to be read, and nothing is written: the second pointer is null (nanosleep(2)).
    unsafe { libc::nanosleep(&raw const moment, ptr::null_mut()) };
    errno.restore();
}

/// Memory barrier on every thread of the process, between two instructions of each (membarrier(2)). Without kernel
/// support, a window of a few instructions is left. Keeps errno.
pub fn barrier_on_all() {
    let errno = Errno::save();
    for command in [libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED] {
        // SAFETY: a system call that takes two numbers.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0) };
    }
    errno.restore();
}

/// Barrier on every thread of the process, before a word of code is made to lead elsewhere, such as a GOT entry. The program's jump through
/// that word has no ordering of its own, so the processor may load data that the jump's target uses before the word. After this barrier,
/// such loads come after the calling thread's stores. Keeps errno.
pub fn barrier_before_redirection() {
    if !LOADS_IN_ORDER {
        barrier_on_all();
    }
}

/// A record that belongs to one thread.
pub trait Owned: Sync + 'static {
    /// Called on the thread that ends, while its thread-local objects are destroyed.
    fn thread_ends(&'static self);
}

/// Notification of threads' ends, by a `pthread_key` (a Rust thread-local would register with the C library when it is
/// first touched).
#[derive(Debug)]
pub struct Ends<T: 'static> {
    /// The key; `u32::MAX`: none.
    key: AtomicU32,
    records: PhantomData<&'static T>,
}

impl<T: Owned> Default for Ends<T> {
    fn default() -> Self {
        Self::unwatched()
    }
}

impl<T: Owned> Ends<T> {
    /// A watch that is not set up and notices no end.
    pub const fn unwatched() -> Self {
        Self { key: AtomicU32::new(u32::MAX), records: PhantomData }
    }

    /// Creates the key. Called once while the library is being loaded.
    pub fn set_up(&self) {
        let mut key = 0;
        // SAFETY: `key` is ours to write; the destructor is never unloaded (the library is linked `-z nodelete`).
        if unsafe { libc::pthread_key_create(&raw mut key, Some(at_end::<T>)) } == 0 {
            // Release: pairs with the load in `set`; publishes the key.
            self.key.store(key, Release);
        }
    }

    /// Watches for the calling thread's end: [`Owned::thread_ends`] of `record` is called then.
    pub fn watch(&self, record: &'static T) {
        self.set(ptr::from_ref(record));
    }

    /// Stops watching for the calling thread's end.
    pub fn forgo(&self) {
        self.set(ptr::null());
    }

    fn set(&self, record: *const T) {
        // Acquire: pairs with the store in `set_up`.
        let key = self.key.load(Acquire);
        if key != u32::MAX {
            // SAFETY: `set_up` made the key. If the value can't be stored, the thread's end is not noticed.
            unsafe { libc::pthread_setspecific(key, record.cast()) };
        }
    }
}

unsafe extern "C" fn at_end<T: Owned>(record: *mut c_void) {
    // SAFETY: `watch` stored the key's value, from a reference that is valid for ever; it is not null
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
