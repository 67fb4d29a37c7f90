//! Entry point of the library when `ora attach` brings it into a running process.
#![allow(unsafe_code)] // called by machine code

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io;
use std::ptr;

use attach_inside::mailbox::Mailbox;
use attach_inside::progress::{NO_SIGNAL, Progress, ProgressPage};
use attach_inside::serve::Session;

use crate::late_threads::LateThreads;
use crate::setting::{self, Setting};
use crate::{attach, disposition, handler, sampling, session, system};

/// The whole life of the thread.
///
/// # Safety
/// As for [`attach_inside::serve::serve`].
#[unsafe(no_mangle)]
unsafe extern "C" fn ora_profiler_serve_3(mailbox: *mut Mailbox) -> *mut c_void {
    let make = |_: &Mailbox, settings: &[u8]| Profile::make(settings);
    // SAFETY: this function's `# Safety`.
    unsafe { attach_inside::serve::serve(mailbox, sampling::is_open, make) };
    ptr::null_mut()
}

/// Profile of a running process.
struct Profile {
    file: Option<File>,
    page: ProgressPage,
    setting: Option<&'static Setting>,
    late_threads: LateThreads,
    /// True once the interface's session belongs to this profile.
    has_begun: bool,
}

impl Profile {
    fn make(settings: &[u8]) -> io::Result<Self> {
        let ours = handler::entry as *const () as usize;
        let setting = setting::take(settings, |signal| disposition::has_handler(signal, ours));
        let (file, page) = ProgressPage::create()?;
        Ok(Self { file: Some(file), page, setting, late_threads: LateThreads::default(), has_begun: false })
    }
}

impl Session for Profile {
    /// Interval in milliseconds, shorter than the life of threads that matter.
    const LOOK_MS: c_int = 50;

    fn progress(&self) -> &Progress {
        self.page.progress()
    }

    fn file(&mut self) -> Option<File> {
        self.file.take()
    }

    fn start(&mut self) -> i32 {
        let Some(setting) = self.setting else { return NO_SIGNAL };
        system::prepare();
        let answer = session::begin_attached(setting);
        self.has_begun = answer == 0;
        attach::watch_process();
        self.look();
        answer
    }

    fn look(&mut self) {
        if let Some(setting) = self.setting.filter(|_| sampling::is_open()) {
            self.late_threads.look(setting);
        }
    }

    fn stop(&mut self) {
        self.late_threads.end();
        if self.has_begun {
            session::end_attached();
        }
    }

    fn give_back(self) {}
}
