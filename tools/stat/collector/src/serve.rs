//! Entry point of a collector that `ora attach` brings into a running process.
#![allow(unsafe_code)] // called by machine code

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::ptr;
use std::sync::atomic::Ordering::Relaxed;

use attach_inside::mailbox::{Mailbox, kind};
use attach_inside::progress::Progress;
use attach_inside::serve::Session;

use crate::member::MEMBER;
use crate::{stat, tasks};
use stat_layout::area::{Place, Shared};
use stat_layout::ticks::Source;

static STAT_MEMORY: Place = Place::none();
static TASKS_MEMORY: Place = Place::none();

/// The whole life of the thread. Its name is [`stat_layout::ENTRY`].
///
/// # Safety
/// As for [`attach_inside::serve::serve`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ora_collectors_serve_3(mailbox: *mut Mailbox) -> *mut c_void {
    // SAFETY: a mailbox, by this function's `# Safety`; nobody writes `kind` any more.
    let kind = unsafe { (*mailbox).kind };
    let is_busy = || {
        if MEMBER.mute.load(Relaxed) {
            stat::leave_parents();
            tasks::leave_parents();
        }
        stat::is_open() || tasks::is_open()
    };
    if kind == kind::TASKS {
        let make = |mail: &Mailbox, _: &[u8]| Collector::make(mail, &TASKS_MEMORY, tasks::start, tasks::stop);
        // SAFETY: this function's `# Safety`.
        unsafe { attach_inside::serve::serve(mailbox, is_busy, make) };
    } else {
        let start = |area, _: &'static [_]| stat::start(area);
        let make = |mail: &Mailbox, _: &[u8]| Collector::make(mail, &STAT_MEMORY, start, stat::stop);
        // SAFETY: this function's `# Safety`.
        unsafe { attach_inside::serve::serve(mailbox, is_busy, make) };
    }
    ptr::null_mut()
}

/// Session of a collector, with its memory.
struct Collector<T: Shared> {
    file: Option<File>,
    area: &'static T,
    items: &'static [T::Item],
    memory: &'static Place,
    start: fn(&'static T, &'static [T::Item]) -> i32,
    stop: fn(),
}

impl<T: Shared> Collector<T> {
    fn make(
        mail: &Mailbox,
        memory: &'static Place,
        start: fn(&'static T, &'static [T::Item]) -> i32,
        stop: fn(),
    ) -> io::Result<Self> {
        let (file, area, items) = memory.make::<T>(usize::try_from(mail.items).unwrap_or(0))?;
        let header = &area.process_table().header;
        header.root_pid.store(std::process::id(), Relaxed);
        header.no_follow.store(1, Relaxed);
        header.clock.store(Source::best() as u32, Relaxed);
        Ok(Self { file: Some(file), area, items, memory, start, stop })
    }
}

impl<T: Shared> Session for Collector<T> {
    fn progress(&self) -> &Progress {
        &self.area.process_table().header.progress
    }

    fn file(&mut self) -> Option<File> {
        self.file.take()
    }

    fn start(&mut self) -> i32 {
        (self.start)(self.area, self.items)
    }

    fn stop(&mut self) {
        (self.stop)();
    }

    fn give_back(self) {
        self.memory.give_back();
    }
}
