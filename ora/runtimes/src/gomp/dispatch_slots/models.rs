//! `RUSTFLAGS="--cfg loom" cargo test -p ora-runtimes --lib --release`

use super::*;
use loom::sync::Arc;
use loom::thread;
use ompt_core::attach_handshake::{Attached, FirstUse};

/// Entries of the model: one that opens a construct, one that closes it, and one that wrappers call.
const OPENS: usize = 0;
const CLOSES: usize = 1;
const INNER: usize = 2;

const UNBOUND: usize = 0x10;
const WRAPPER: usize = 0x20;
const RECORDER: usize = 0x30;
const REAL: usize = 0x40;
/// Real function of the next libgomp that gets the same slots.
const NEXT_REAL: usize = 0x50;
const OWNER: usize = 0x1000;
const NEXT_OWNER: usize = 0x2000;
const THREAD: usize = 0x100;

fn code(kind: usize, entry: usize) -> *mut () {
    std::ptr::without_provenance_mut(kind + entry)
}

/// A process: its tools, its first use of the runtime, and the slots of one libgomp.
struct Process {
    attached: Attached,
    user: FirstUse,
    slots: Slots<2, 3>,
    /// Target of the program's own call of an entry: the trampoline, once the call was patched.
    call: AtomicUsize,
}

impl Targets for Process {
    fn unbound(&self, entry: usize) -> *mut () {
        code(UNBOUND, entry)
    }
    fn wrapper(&self, entry: usize) -> Option<*mut ()> {
        Some(code(WRAPPER, entry))
    }
    fn recorder(&self, entry: usize) -> *mut () {
        code(RECORDER, entry)
    }
    fn closes(&self, entry: usize) -> bool {
        entry == CLOSES
    }
    fn needed(&self) -> &[usize] {
        &[INNER]
    }
    fn is_use_awaited(&self) -> bool {
        !self.user.is_over()
    }
    fn is_tracked(&self) -> bool {
        self.attached.is_tracking()
    }
    fn reports_calls(&self) -> bool {
        self.attached.reports_calls()
    }
}

impl Process {
    fn new() -> Self {
        let slots = Slots::new([OPENS, CLOSES].map(|entry| AtomicPtr::new(code(UNBOUND, entry))));
        Self { attached: Attached::none(), user: FirstUse::pending(), slots, call: AtomicUsize::new(0) }
    }

    fn used(self) -> Self {
        self.user.end();
        self
    }

    fn bound(self) -> Self {
        self.bind(REAL, OWNER);
        self
    }

    /// Binds a libgomp.
    fn bind(&self, real: usize, owner: usize) {
        for entry in [OPENS, CLOSES, INNER] {
            self.slots.bind(entry, code(real, entry), self);
        }
        self.slots.serve(owner, self);
    }

    /// Like `adapter::attach`.
    fn attach(&self) {
        if self.attached.attach() {
            self.slots.wrap(self);
        }
    }

    /// Like `adapter::attach_for_calls`.
    fn attach_for_calls(&self) {
        if self.attached.attach_for_calls() {
            self.slots.wrap(self);
        }
        self.attach();
    }

    /// Like `first_use::handle`, in a call that has to be resolved.
    fn first_use(&self) {
        if self.user.begin(THREAD) {
            self.user.end();
        }
        self.slots.open(self);
    }

    /// A call of the entry, like the one that the naked code makes.
    fn goes_to(&self, entry: usize) -> *mut () {
        self.slots.slots[entry].load(Acquire)
    }

    fn all_go_to(&self, kind: usize) {
        assert_eq!([OPENS, CLOSES].map(|entry| self.goes_to(entry)), [OPENS, CLOSES].map(|entry| code(kind, entry)));
    }
}

/// Runs both concurrently, then checks the process afterwards. Each of the two runs once on the thread that loom starts with: only then
/// does loom delay the other's reads.
fn at_once(process: fn() -> Process, one: fn(&Process), other: fn(&Process), afterwards: fn(&Process)) {
    for (first, second) in [(one, other), (other, one)] {
        // Bounds preemptions to three: without it some models would take minutes.
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(move || {
            let process = Arc::new(process());
            let thread = {
                let process = process.clone();
                thread::spawn(move || second(&process))
            };
            first(&process);
            thread.join().unwrap();
            afterwards(&process);
        });
    }
}

fn nothing(_: &Process) {}

fn all_are_reported(process: &Process) {
    process.all_go_to(WRAPPER);
}

fn all_calls_are_recorded(process: &Process) {
    process.all_go_to(RECORDER);
}

fn awaited() -> Process {
    Process::new().bound()
}

fn used() -> Process {
    Process::new().used()
}

fn running() -> Process {
    used().bound()
}

fn bind(process: &Process) {
    process.bind(REAL, OWNER);
}

#[test]
fn a_tool_that_attaches_at_the_first_use_gets_all_reports() {
    at_once(awaited, Process::first_use, Process::attach, all_are_reported);
}

#[test]
fn a_tool_that_attaches_while_a_libgomp_is_bound_gets_all_reports() {
    at_once(used, bind, Process::attach, all_are_reported);
}

#[test]
fn a_tool_that_wants_calls_gets_them_whoever_attaches_at_once() {
    at_once(running, Process::attach_for_calls, Process::attach, all_calls_are_recorded);
}

#[test]
fn a_tool_that_wants_calls_gets_them_if_it_attaches_at_the_first_use() {
    at_once(awaited, Process::first_use, Process::attach_for_calls, all_calls_are_recorded);
}

#[test]
fn who_is_led_to_a_libgomp_finds_it_bound() {
    let lead = |it: &Process| {
        bind(it);
        it.call.store(1, Release);
    };
    let call = |it: &Process| {
        if it.call.load(Acquire) == 1 {
            assert!(it.slots.target(OPENS, it).is_some());
            assert_eq!(it.slots.real_in_wrapper(OPENS), code(REAL, OPENS));
        }
    };
    at_once(used, lead, call, nothing);
}

#[test]
fn a_wrapper_finds_its_function_and_all_that_it_needs() {
    let attach_and_call = |it: &Process| {
        it.attach();
        let target = it.goes_to(OPENS);
        if target == code(WRAPPER, OPENS) {
            assert_eq!(it.slots.real_in_wrapper(OPENS), code(REAL, OPENS));
            assert_eq!(it.slots.real_in_wrapper(INNER), code(REAL, INNER));
        } else {
            assert!([code(UNBOUND, OPENS), code(REAL, OPENS)].contains(&target));
        }
    };
    at_once(used, bind, attach_and_call, nothing);
}

#[test]
fn who_is_seen_entering_is_seen_leaving() {
    let call = |it: &Process| {
        if it.goes_to(OPENS) == code(WRAPPER, OPENS) {
            assert_eq!(it.goes_to(CLOSES), code(WRAPPER, CLOSES));
        }
    };
    at_once(running, Process::attach, call, nothing);
}

#[test]
fn calls_of_a_libgomp_never_go_to_the_one_that_had_its_slots_before() {
    let replace = |it: &Process| {
        it.slots.forget(it);
        it.bind(NEXT_REAL, NEXT_OWNER);
        for entry in [OPENS, CLOSES] {
            assert_ne!(it.goes_to(entry), code(REAL, entry));
            assert!(it.slots.target(entry, it).is_some());
        }
    };
    let attach = |it: &Process| {
        assert_eq!(it.slots.real_in_wrapper(OPENS), code(NEXT_REAL, OPENS));
        it.attach();
        it.all_go_to(WRAPPER);
    };
    at_once(running, replace, Process::attach, attach);
    at_once(running, replace, |it| it.slots.open(it), attach);
}
