//! Sessions of a recorder that `ora attach` brings into a running process. A process has one tool, which stays: between sessions, no
//! callbacks are registered.
#![allow(unsafe_code)] // called by machine code; functions of libora.so

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io;
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use attach_inside::mailbox::Mailbox;
use attach_inside::progress::{NO_FILE, OTHER_TOOL, Progress, ProgressPage, START_IMPOSSIBLE};
use attach_inside::serve::Session;

use crate::samples::function;
use crate::tool::Recorder;
use crate::{clock, file, lane, session, settings};

/// `ora_start_tool_late`.
type Start = unsafe extern "C-unwind" fn(*const c_void) -> c_int;
/// `ora_wait_for_tool`.
type Wait = extern "C-unwind" fn();

/// True once the tool has started.
static HAS_STARTED: AtomicBool = AtomicBool::new(false);

/// The whole life of the thread.
///
/// # Safety
/// As for [`attach_inside::serve::serve`].
#[unsafe(no_mangle)]
unsafe extern "C" fn ora_tracer_serve_3(mailbox: *mut Mailbox) -> *mut c_void {
    let make = |_: &Mailbox, text: &[u8]| {
        settings::take(text);
        let (file, page) = ProgressPage::create()?;
        io::Result::Ok(Trace { file: Some(file), page })
    };
    // SAFETY: this function's `# Safety`.
    unsafe { attach_inside::serve::serve(mailbox, session::is_open, make) };
    ptr::null_mut()
}

/// Trace of a running process.
struct Trace {
    file: Option<File>,
    page: ProgressPage,
}

impl Session for Trace {
    fn progress(&self) -> &Progress {
        self.page.progress()
    }

    fn file(&mut self) -> Option<File> {
        self.file.take()
    }

    fn start(&mut self) -> i32 {
        clock::choose();
        file::begin_anew();
        if !file::is_open() {
            return NO_FILE;
        }
        session::begin();
        let answer = if HAS_STARTED.load(Relaxed) { resume() } else { start() };
        if answer != 0 {
            self.stop();
        }
        answer
    }

    fn stop(&mut self) {
        if !session::end() {
            return;
        }
        ompt_tool::pause::<Recorder>();
        if let Some(wait) = function(c"ora_wait_for_tool") {
            // SAFETY: this is the type of the library's symbol of this name (ora/src/exports.rs).
            let wait = unsafe { transmute::<*mut c_void, Wait>(wait) };
            wait();
        }
        file::end(&lane::thread_numbers());
        lane::drop_chunks();
        file::forget();
    }

    fn give_back(self) {}
}

fn start() -> i32 {
    let Some(start) = function(c"ora_start_tool_late") else { return START_IMPOSSIBLE };
    // SAFETY: this is the type of the library's symbol of this name (ora/src/exports.rs).
    let start = unsafe { transmute::<*mut c_void, Start>(start) };
    // SAFETY: this is the tool's `ompt_start_tool`.
    match unsafe { start(ompt_tool::start_tool::<Recorder> as *const c_void) } {
        0 => {
            HAS_STARTED.store(true, Relaxed);
            0
        }
        2 => OTHER_TOOL,
        _ => START_IMPOSSIBLE,
    }
}

fn resume() -> i32 {
    if ompt_tool::resume::<Recorder>() { 0 } else { START_IMPOSSIBLE }
}
