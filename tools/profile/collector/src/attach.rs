//! Constructor and destructor that the dynamic linker calls. Unsafe: these calls.
#![allow(unsafe_code)]

use std::sync::Once;

use crate::{session, setting, system};

/// Runs when the library is loaded, before `main` and before the constructors of the program's own libraries.
#[unsafe(no_mangle)]
extern "C" fn ora_profiler_attach() {
    ::system::quick_exit::prepare();
    begin();
}

/// Starts the profile of a process that was started with this library, once.
pub(crate) fn begin() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        let Some(setting) = setting::read() else { return };
        system::prepare();
        session::begin(setting);
        watch_process();
    });
}

/// Asks for calls in forked children and at the process's end, once.
pub(crate) fn watch_process() {
    static ASKED: Once = Once::new();
    ASKED.call_once(|| {
        // SAFETY: the handler is a function of this library, which is never unloaded.
        unsafe { libc::pthread_atfork(None, None, Some(session::after_fork)) };
        // SAFETY: the handler is a function of this library, which is never unloaded.
        unsafe { libc::atexit(session::on_exit) };
    });
}
