//! State of the process's file, which starts with its first record. Unsafe: memory of the thread that starts it.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use profile_format::Record;

use crate::file::FILE;
use crate::text::Text;
use crate::{folder, identity, modules, process, setting};

/// One of the constants below.
static STATE: AtomicU32 = AtomicU32::new(NOT_BEGUN);
const NOT_BEGUN: u32 = 0;
const BEGINNING: u32 = 1;
const BEGUN: u32 = 2;
const NONE: u32 = 3;

/// Room for paths and facts: the thread that starts the file may have a small stack.
static ROOM: Room = Room(UnsafeCell::new(Text::new()));

struct Room(UnsafeCell<Text<4096>>);

// SAFETY: used only by the thread that has set `BEGINNING`.
unsafe impl Sync for Room {}

/// True if records go into a file of this process; starts the file if necessary. Async-signal-safe.
pub(crate) fn begin() -> bool {
    if !process::is_here() {
        return false;
    }
    // Acquire: pairs with the stores below and in `end`; publishes the file. Release: with this exchange of another thread.
    match STATE.compare_exchange(NOT_BEGUN, BEGINNING, AcqRel, Acquire) {
        Ok(_) => {}
        Err(state) => return state == BEGUN && FILE.is_open(),
    }
    // SAFETY: this thread has set `BEGINNING`, so no other thread is here.
    let begun = write_first(unsafe { &mut *ROOM.0.get() });
    // Release: pairs with the compare-exchange above; publishes the file and `ROOM`.
    STATE.store(if begun { BEGUN } else { NONE }, Release);
    begun
}

/// Starts the file and writes its first records. Out of line, so that its frame isn't on the stack of every wait.
#[cold]
#[inline(never)]
fn write_first(room: &mut Text<4096>) -> bool {
    let begun =
        setting::get().is_some_and(|setting| folder::make(setting, room).and_then(|path| FILE.begin(path)).is_ok());
    if begun {
        FILE.write(Record::Begin { version: profile_format::VERSION });
        identity::write(room);
        modules::write_all();
    }
    begun
}

/// Like [`begin`], but waits for a thread that creates the file. Not for a signal handler, which may have interrupted
/// that thread.
pub(crate) fn wait() -> bool {
    while process::is_here() && STATE.load(Relaxed) == BEGINNING {
        std::thread::yield_now();
    }
    begin()
}

/// Sets whether there may be a file: from the first record on, or none at all. Must be called while no other thread
/// writes records.
pub(crate) fn reset(may_begin: bool) {
    STATE.store(if may_begin { NOT_BEGUN } else { NONE }, Relaxed);
}

/// Ends the file: no other one is started.
pub(crate) fn end() {
    // Release: pairs with the compare-exchange in `begin`.
    STATE.store(NONE, Release);
}
