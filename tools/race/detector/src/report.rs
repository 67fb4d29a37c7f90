//! ThreadSanitizer's reports. It holds its own locks while one is read.
#![allow(unsafe_code)] // functions of ThreadSanitizer that read its reports

use std::ffi::{CStr, c_char, c_int, c_ulong, c_void};
use std::mem::transmute;
use std::ptr::null;
use std::sync::OnceLock;

use system::linker::Scope;

use crate::call_stack::MARKS;
use crate::{fiber, thread};

/// Number of frames of a stack that are read.
pub(crate) const FRAMES: usize = 48;

/// Frames of a stack, the innermost first.
pub(crate) type Stack = [usize; FRAMES];

/// One access of a report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// ThreadSanitizer's number of the context.
    pub(crate) context: u64,
    pub(crate) whose: Whose,
    pub(crate) address: usize,
    pub(crate) size: u64,
    pub(crate) write: bool,
    pub(crate) atomic: bool,
    pub(crate) stack: Stack,
}

/// The context that made an access.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Whose {
    /// The fiber of this number.
    Fiber(usize),
    /// A thread with this system number.
    Thread(u64),
    Unknown,
}

/// The memory of a report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Location {
    pub(crate) kind: &'static CStr,
    pub(crate) start: usize,
    pub(crate) size: u64,
    /// ThreadSanitizer's number of the context that allocated it, or whose stack it is.
    pub(crate) thread: u64,
    pub(crate) whose: Whose,
    pub(crate) stack: Stack,
}

/// A report of a data race.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report {
    pub(crate) accesses: [Access; 2],
    pub(crate) location: Option<Location>,
}

/// A report by ThreadSanitizer, which makes one at a time.
pub(crate) type Handle = *mut c_void;
type GetData = unsafe extern "C" fn(
    Handle,
    *mut *const c_char,
    *mut c_int,
    *mut c_int,
    *mut c_int,
    *mut c_int,
    *mut c_int,
    *mut c_int,
    *mut c_int,
    *mut usize,
    c_ulong,
) -> c_int;
type GetMop = unsafe extern "C" fn(
    Handle,
    c_ulong,
    *mut c_int,
    *mut usize,
    *mut c_int,
    *mut c_int,
    *mut c_int,
    *mut usize,
    c_ulong,
) -> c_int;
type GetLoc = unsafe extern "C" fn(
    Handle,
    c_ulong,
    *mut *const c_char,
    *mut usize,
    *mut usize,
    *mut c_ulong,
    *mut c_int,
    *mut c_int,
    *mut c_int,
    *mut usize,
    c_ulong,
) -> c_int;
type GetThread = unsafe extern "C" fn(
    Handle,
    c_ulong,
    *mut c_int,
    *mut u64,
    *mut c_int,
    *mut *const c_char,
    *mut c_int,
    *mut usize,
    c_ulong,
) -> c_int;

/// Functions that read a report (tsan_interface.h, "Debugging").
struct Functions {
    data: GetData,
    mop: GetMop,
    loc: GetLoc,
    thread: GetThread,
}

fn functions() -> Option<&'static Functions> {
    static FOUND: OnceLock<Option<Functions>> = OnceLock::new();
    let find = || {
        let function = |name| Scope::Default.symbol(name);
        Some(Functions {
            // SAFETY: `int __tsan_get_report_data (...)`, of this signature (tsan_interface.h).
            data: unsafe { transmute::<*mut c_void, GetData>(function(c"__tsan_get_report_data")?) },
            // SAFETY: `int __tsan_get_report_mop (...)`, of this signature (tsan_interface.h).
            mop: unsafe { transmute::<*mut c_void, GetMop>(function(c"__tsan_get_report_mop")?) },
            // SAFETY: `int __tsan_get_report_loc (...)`, of this signature (tsan_interface.h).
            loc: unsafe { transmute::<*mut c_void, GetLoc>(function(c"__tsan_get_report_loc")?) },
            // SAFETY: `int __tsan_get_report_thread (...)`, of this signature (tsan_interface.h).
            thread: unsafe { transmute::<*mut c_void, GetThread>(function(c"__tsan_get_report_thread")?) },
        })
    };
    FOUND.get_or_init(find).as_ref()
}

/// Looks the functions up, which must not be done while a report is read. Returns false without them.
pub(crate) fn can_be_read() -> bool {
    functions().is_some()
}

/// Reads the report that is being made; `None` if it is not about a data race.
pub(crate) fn read(report: Handle) -> Option<Report> {
    Reader { functions: functions()?, report, threads: 0 }.read()
}

/// The report that is being made: ThreadSanitizer makes one at a time.
struct Reader<'a> {
    functions: &'a Functions,
    report: Handle,
    threads: c_int,
}

impl Reader<'_> {
    /// The report, if it is about a data race.
    fn read(&mut self) -> Option<Report> {
        let (mut kind, mut mops, mut locs, mut ignored) = (null(), 0, 0, 0);
        let mut stack: Stack = [0; FRAMES];
        let (ignored, sleep): (*mut c_int, *mut usize) = (&raw mut ignored, stack.as_mut_ptr());
        // SAFETY: the report that ThreadSanitizer is about to print, and variables for the results; the size is that
        // of `stack`.
        unsafe {
            (self.functions.data)(
                self.report,
                &raw mut kind,
                ignored,
                ignored,
                &raw mut mops,
                &raw mut locs,
                ignored,
                &raw mut self.threads,
                ignored,
                sleep,
                FRAMES as c_ulong,
            )
        };
        if kind.is_null() {
            return None;
        }
        // SAFETY: not null, so it is a literal of ThreadSanitizer.
        let kind = unsafe { CStr::from_ptr(kind) }.to_bytes();
        let is_race = kind.starts_with(b"data-race") || kind.starts_with(b"heap-use-after-free");
        if !is_race || mops < 2 {
            return None;
        }
        Some(Report { accesses: [self.access(0), self.access(1)], location: (locs > 0).then(|| self.location()) })
    }

    fn access(&self, number: c_ulong) -> Access {
        let (mut context, mut address, mut size, mut write, mut atomic) = (0, 0, 0, 0, 0);
        let mut stack: Stack = [0; FRAMES];
        // SAFETY: the report has two accesses, and there are variables for the results; the size is that of `stack`.
        unsafe {
            (self.functions.mop)(
                self.report,
                number,
                &raw mut context,
                &raw mut address,
                &raw mut size,
                &raw mut write,
                &raw mut atomic,
                stack.as_mut_ptr(),
                FRAMES as c_ulong,
            )
        };
        Access {
            context: u64::try_from(context).unwrap_or(0),
            whose: self.whose(context),
            address,
            size: u64::try_from(size).unwrap_or(0),
            write: write != 0,
            atomic: atomic != 0,
            stack,
        }
    }

    fn location(&self) -> Location {
        let (mut kind, mut address, mut start, mut size) = (null(), 0, 0, 0);
        let (mut context, mut descriptor, mut suppressable) = (0, 0, 0);
        let mut stack: Stack = [0; FRAMES];
        // SAFETY: the report has a location, and there are variables for the results; the size is that of `stack`.
        unsafe {
            (self.functions.loc)(
                self.report,
                0,
                &raw mut kind,
                &raw mut address,
                &raw mut start,
                &raw mut size,
                &raw mut context,
                &raw mut descriptor,
                &raw mut suppressable,
                stack.as_mut_ptr(),
                FRAMES as c_ulong,
            )
        };
        // SAFETY: null, or a literal of ThreadSanitizer.
        let kind = if kind.is_null() { c"" } else { unsafe { CStr::from_ptr(kind) } };
        Location {
            kind,
            start: if start == 0 { address } else { start },
            size,
            thread: u64::try_from(context).unwrap_or(0),
            whose: self.whose(context),
            stack,
        }
    }

    /// Owner of a context that the report refers to.
    fn whose(&self, context: c_int) -> Whose {
        for number in 0..self.threads {
            let (mut id, mut system_id, mut running, mut name, mut parent) = (-1, 0, 0, null(), 0);
            let mut stack: Stack = [0; FRAMES];
            // SAFETY: the report has this number of threads, and there are variables for the results; the size is
            // that of `stack`.
            unsafe {
                (self.functions.thread)(
                    self.report,
                    c_ulong::try_from(number).unwrap_or(0),
                    &raw mut id,
                    &raw mut system_id,
                    &raw mut running,
                    &raw mut name,
                    &raw mut parent,
                    stack.as_mut_ptr(),
                    FRAMES as c_ulong,
                )
            };
            if id != context {
                continue;
            }
            // SAFETY: null, or the name of a thread in the report.
            let name = if name.is_null() { c"" } else { unsafe { CStr::from_ptr(name) } };
            let digits = name.to_bytes().strip_prefix(fiber::NAME.as_bytes());
            let fiber = digits.and_then(|digits| str::from_utf8(digits).ok()?.parse().ok());
            return fiber.map_or(Whose::Thread(system_id), Whose::Fiber);
        }
        Whose::Unknown
    }
}

impl Access {
    /// Frames of the access, the innermost first.
    pub(crate) fn frames(&self) -> impl DoubleEndedIterator<Item = usize> + Clone + '_ {
        frames(&self.stack)
    }

    /// The thread's record, if the thread is known to OpenMP.
    pub(crate) fn thread(&self) -> Option<&'static thread::Thread> {
        match self.whose {
            Whose::Thread(id) => thread::of_system(id),
            _ => None,
        }
    }
}

impl Location {
    /// The thread, as a construct has it, if it is known to OpenMP.
    pub(crate) fn thread_identity(&self) -> Option<u64> {
        match self.whose {
            Whose::Fiber(number) => Some(fiber::numbered(number)?.history.newest_first().next()?.thread),
            Whose::Thread(id) => Some(thread::of_system(id)?.identity()),
            Whose::Unknown => None,
        }
    }
}

/// Frames of a stack, the innermost first.
pub(crate) fn frames(stack: &Stack) -> impl DoubleEndedIterator<Item = usize> + Clone + '_ {
    let length = stack.iter().position(|frame| *frame == 0 || MARKS.contains(frame)).unwrap_or(FRAMES);
    stack.iter().take(length).copied()
}
