//! The calling thread's record and the call that it has entered last, in thread-local words that signal handlers may
//! query. The other words are shared with collectors.
#![allow(unsafe_code)] // a word holds the address of a record

use crate::thread::Thread;

pub use crate::call_site::CallSite;

system::thread_words!("ora_thread", 11);

const RECORD: usize = 0;
const ENDED_AS_WORKER: usize = 1;
const CALL: usize = 2;
const ANSWER: usize = 4;
const CREATOR: usize = 5;
const STAMPS: usize = 6;
const OUTER_CALL: usize = 10;

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

/// True on a worker that has ended as far as ora is concerned: its destructors are running. Async-signal-safe: two
/// loads.
pub(crate) fn ended_as_worker() -> bool {
    word::<ENDED_AS_WORKER>() != 0
}

/// Sets what [`ended_as_worker`] returns on the calling thread.
pub(crate) fn set_ended_as_worker(ended: bool) {
    set_word::<ENDED_AS_WORKER>(usize::from(ended));
}

/// The call that the thread has entered last, if entries record call sites; otherwise zeros. Async-signal-safe: loads.
#[inline(always)]
pub fn call() -> CallSite {
    let [return_address, frame] = two_words::<CALL>();
    CallSite { return_address, frame }
}

/// Return address of the call that the thread has entered last; 0 if it was not recorded.
#[inline(always)]
pub(crate) fn return_address() -> usize {
    word::<CALL>()
}

/// Makes an earlier call the thread's current one: the call site that events report.
#[inline(always)]
pub fn set_call(call: CallSite) {
    set_two_words::<CALL>([call.return_address, call.frame]);
}

/// Address of the words that collectors share with the library in callbacks, on the calling thread
/// (`docs/reference/thread-words.md`). They belong to the thread, and exist as long as it does.
pub fn callback_words() -> *const usize {
    address::<ANSWER>()
}

/// The collector's [answer](crate::answer) in the callback that has just returned. Taken once after each callback in which it may answer.
#[inline(always)]
pub(crate) fn take_answer() -> usize {
    let answer = word::<ANSWER>();
    if answer != 0 {
        set_word::<ANSWER>(0);
    }
    answer
}

/// Answers like a collector.
#[cfg(test)]
pub(crate) fn answer(answer: usize) {
    set_word::<ANSWER>(answer);
}

/// The time at which a body began, if it was stamped.
#[cfg(test)]
pub(crate) fn begun_stamp() -> usize {
    word::<{ STAMPS + 2 }>()
}

/// Stores the time at which a task that the collector has asked about reached that stage.
#[allow(clippy::cast_possible_truncation)] // a word has 64 bits
pub(crate) fn set_stamp<const STAGE: usize>(at: u64) {
    match STAGE {
        0 => set_word::<STAMPS>(at as usize),
        1 => set_word::<{ STAMPS + 1 }>(at as usize),
        2 => set_word::<{ STAMPS + 2 }>(at as usize),
        _ => set_word::<{ STAMPS + 3 }>(at as usize),
    }
}

/// Reports an event of a runtime that knows the return address of the program's call, which collectors may read meanwhile. 1: it is not
/// known.
#[inline(always)]
pub fn with_outer_call<R>(return_address: usize, report: impl FnOnce() -> R) -> R {
    set_word::<OUTER_CALL>(return_address.max(1));
    let result = report();
    set_word::<OUTER_CALL>(0);
    result
}

/// Sets the id of the task that creates another one; `u64::MAX` if the task has none yet.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // a word has 64 bits
pub(crate) fn set_creator(id: u64) {
    set_word::<CREATOR>(id as usize);
}
