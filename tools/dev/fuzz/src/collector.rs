//! The collector: its callbacks, which are compared with the expectation, and the programs that they run.

use crate::arena::Place;
use crate::buffer;
use crate::callbacks::{CALLBACKS, Callback, callbacks};
use crate::calls::{THREAD, call, probe};
use crate::model::with;
use crate::reader::Reader;
use crate::runtime;
use std::ffi::c_int;

/// Callbacks, by number.
pub(crate) const ALL: [Callback; CALLBACKS] = [callback::<0>, callback::<1>, callback::<2>, callback::<3>];

extern "C-unwind" fn callback<const NUMBER: usize>(event: c_int) {
    called_back(NUMBER, event);
}

/// Compares a callback with the expectation, and runs its program.
fn called_back(number: usize, event: i32) {
    let program = with(|model| {
        assert_eq!(model.current, THREAD.get(), "callback for {event} on another thread");
        let address = model.due(event);
        let due = address.and_then(|address| callbacks().number(address));
        assert_eq!(due, Some(number), "callback {number} for event {event} was not due");
        model.thread().called_back = true;
        model.programs.get(number).cloned().unwrap_or_default()
    });
    probe();
    run_program(&program);
    runtime::set_errno(77);
    with(|model| {
        model.thread().called_back = false;
        model.advance();
    });
}

/// Runs a callback's program.
fn run_program(program: &[u8]) {
    let mut choices = Reader::new(program);
    for _ in 0..3 {
        if choices.is_done() {
            return;
        }
        match choices.byte() % 8 {
            0 | 1 => call(&buffer::array(&mut choices), Place::AtTheEnd),
            2 => call(&buffer::raw(&mut choices), Place::AtTheStart),
            3 => runtime::wait(i32::from(2 + choices.byte() % 2), choices.byte().into(), probe),
            4 => register(&mut choices),
            _ => control(&mut choices),
        }
    }
}

/// Makes a plain REGISTER request for one of a few callbacks.
pub(crate) fn register(choices: &mut Reader) {
    let event = choices.byte() % 36;
    let callback = choices.choose(&callbacks().plain);
    call(&buffer::register(event, callback), Place::AtTheEnd);
}

/// Makes a START, STOP, PAUSE or RESUME request, or two of them.
pub(crate) fn control(choices: &mut Reader) {
    let choice = choices.byte();
    let first = [0, 6, 7, 8].get(usize::from(choice) % 4).copied().unwrap_or(0);
    let mut array = buffer::one(first, 0);
    if choice & 4 != 0 {
        array.truncate(16);
        array.extend(buffer::one([0, 6, 7, 8].get(usize::from(choice / 8) % 4).copied().unwrap_or(0), 0));
    }
    call(&array, Place::AtTheEnd);
}
