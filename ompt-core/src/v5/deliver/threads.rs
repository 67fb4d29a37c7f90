//! Threads begin and end; the program speaks to the tool (OpenMP 5.0, 4.5.2.1, 4.5.2.2, 4.5.2.29).
#![allow(unsafe_code)] // calls the tool

use super::scene::{Scene, word};
use crate::v5::callbacks;
use crate::v5::types::ompt_thread_t::*;
use std::cell::Cell;
use std::ptr;

#[inline(always)]
pub(super) fn begin(scene: &Scene) -> bool {
    let Some(callback) = callbacks::THREAD_BEGIN.get() else { return false };
    // A thread of the program's own has an initial task, too.
    let kind = if scene.thread.is_worker() { ompt_thread_worker } else { ompt_thread_initial };
    // SAFETY: the tool's own callback for this; the word stays for ever.
    unsafe { callback(kind, word(scene.thread.data())) };
    true
}

#[inline(always)]
pub(super) fn end(scene: &Scene) -> bool {
    let Some(callback) = callbacks::THREAD_END.get() else { return false };
    // SAFETY: as above.
    unsafe { callback(word(scene.thread.data())) };
    true
}

#[inline(always)]
pub(super) fn control(scene: &Scene, (command, modifier, argument): (u64, u64, usize), answer: &Cell<i32>) -> bool {
    let Some(callback) = callbacks::CONTROL_TOOL.get() else { return false };
    let argument = ptr::with_exposed_provenance_mut(argument);
    // SAFETY: as above; the argument is the program's own, for the tool.
    answer.set(unsafe { callback(command, modifier, argument, scene.code()) });
    true
}
