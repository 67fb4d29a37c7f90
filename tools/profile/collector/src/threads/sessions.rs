//! Records of a library that is attached to a running process: it may have several sessions, and is not notified of
//! threads' starts.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};

use super::{NEXT_NUMBER, all, period_ns};
use crate::account::Rest;
use crate::system;
use crate::thread_record::Thread;

/// Creates free records until there are `wanted` of them.
pub(crate) fn stock(wanted: usize) {
    let free = all().filter(|thread| !thread.taken.load(Relaxed)).count();
    for _ in free..wanted {
        super::make().into_iter().for_each(Thread::give_back);
    }
}

/// Numbers of the threads that have a record in this session.
pub(crate) fn recorded() -> BTreeSet<u32> {
    // Acquire: pairs with the store in `begin`; publishes the thread's number.
    all().filter(|thread| thread.live.load(Acquire)).map(|thread| thread.tid.load(Relaxed)).collect()
}

/// Ends the records of threads that are gone and whose end was not reported.
pub(crate) fn end_gone() {
    // Acquire: pairs with the store in `begin`; publishes the thread's number.
    let unreported = all().filter(|thread| thread.live.load(Acquire) && !thread.hung_up.load(Relaxed));
    for thread in unreported.filter(|thread| system::cpu_ns_of(thread.tid.load(Relaxed)) == 0) {
        thread.live.store(false, Relaxed);
        thread.clock.stop();
        // Its time since the last sample is no longer known.
        thread
            .write_rest(system::monotonic_ns(), Rest { wall_ns: 0, cpu_ns: 0, asked: thread.delivered.load(Relaxed) });
        thread.give_back();
    }
}

/// Waits until no thread is in the signal handler, for at most a second. Returns true if none is.
pub(crate) fn wait_for_handlers() -> bool {
    (0..1000).any(|round| {
        // SeqCst: against `Thread::enter_handler` (store buffering); Acquire of `leave_handler`.
        let busy = all().any(|thread| thread.in_handler.load(SeqCst));
        if busy && round > 0 {
            ::system::threads::pause(1_000_000);
        }
        !busy
    })
}

/// Returns all records of a session that is over.
pub(crate) fn end_session() {
    for thread in all() {
        thread.account.forget(period_ns());
        thread.hung_up.store(false, Relaxed);
        thread.give_back();
    }
    NEXT_NUMBER.store(0, Relaxed);
}
