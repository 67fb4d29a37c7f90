//! The calling thread's record and the call that it has entered last, in thread-local words that queries may read in
//! signal handlers. Two more words are shared with the commands' own collectors.
#![allow(unsafe_code)] // a word holds the address of a record

use crate::thread::Thread;

pub use crate::call_site::Call;

system::thread_words!("ora_thread", 6);

const RECORD: usize = 0;
const ENDED_AS_WORKER: usize = 1;
const CALL: usize = 2;
const DECLINED: usize = 4;
const CREATOR: usize = 5;

/// The calling thread's record, if it has one. Async-signal-safe: two loads.
#[inline(always)]
pub fn get() -> Option<&'static Thread> {
    let record = word::<RECORD>() as *const Thread;
    // SAFETY: the word is null or was stored by `set`, from a reference that is valid for ever.
    unsafe { record.as_ref() }
}

/// Sets the calling thread's record, or removes it.
pub(crate) fn set(record: Option<&'static Thread>) {
    set_word::<RECORD>(record.map_or(0, |record| std::ptr::from_ref(record) as usize));
}

/// True on a worker that has ended for ora: its destructors are running. Async-signal-safe: two loads.
pub(crate) fn ended_as_worker() -> bool {
    word::<ENDED_AS_WORKER>() != 0
}

/// Sets what [`ended_as_worker`] returns on the calling thread.
pub(crate) fn set_ended_as_worker(ended: bool) {
    set_word::<ENDED_AS_WORKER>(usize::from(ended));
}

/// The call that the thread has entered last, where entries record call sites; zeros elsewhere. Async-signal-safe:
/// loads.
#[inline(always)]
pub fn call() -> Call {
    let [return_address, frame] = two_words::<CALL>();
    Call { return_address, frame }
}

/// Return address of the call that the thread has entered last; 0 where it was not recorded.
#[inline(always)]
pub(crate) fn return_address() -> usize {
    word::<CALL>()
}

/// Makes an earlier call the thread's current one: the call site that events report.
#[inline(always)]
pub fn set_call(call: Call) {
    set_two_words::<CALL>([call.return_address, call.frame]);
}

/// Address of the words that the commands' own collectors share with the library, on the calling thread: `tools/client`
/// reads them by their places. They are the thread's own, and so stay as long as the thread.
pub fn callback_words() -> *const usize {
    address::<DECLINED>()
}

/// True if the collector has declined, in the callback that has just returned, the event that follows from this one.
/// To be asked once after each callback in which it may.
#[inline(always)]
pub(crate) fn take_declined() -> bool {
    let declined = word::<DECLINED>() != 0;
    if declined {
        set_word::<DECLINED>(0);
    }
    declined
}

/// Declines an event, as a collector does.
#[cfg(test)]
pub(crate) fn decline() {
    set_word::<DECLINED>(1);
}

/// Sets the id of the task that creates another one; `u64::MAX` where the task has none yet.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // a word has 64 bits
pub(crate) fn set_creator(id: u64) {
    set_word::<CREATOR>(id as usize);
}
