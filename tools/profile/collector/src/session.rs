//! The profile of this process: its begin, its end, and its continuation in a forked child.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32};

use attach_inside::progress::{NO_FILE, START_IMPOSSIBLE};
use ora_client::{Client, Doing};
use profile_format::Record;

use crate::diagnostics::{self, Diagnostic, report};
use crate::file::FILE;
use crate::forks::{self, Fork};
use crate::registers::Registers;
use crate::setting::Setting;
use crate::stack_bounds::Stack;
use crate::threads::{self, Thread};
use crate::{
    clock, current_thread, disposition, folder, identity, modules, sample, serial_time, setting, stacks, system, waits,
};

const FORK: c_int = 1;
const JOIN: c_int = 2;

/// State of the file: one of the constants below.
static FILE_STATE: AtomicU32 = AtomicU32::new(NOT_BEGUN);
const NOT_BEGUN: u32 = 0;
const BEGINNING: u32 = 1;
const BEGUN: u32 = 2;
const NONE: u32 = 3;
/// The process that the file belongs to: a child that was made without the C library may share its memory.
static PROCESS: AtomicI32 = AtomicI32::new(0);

/// True while handlers write records.
static OPEN: AtomicBool = AtomicBool::new(false);
/// True in a forked child that has the session of a parent to which the library was attached.
static IS_INHERITED: AtomicBool = AtomicBool::new(false);
/// True once a thread writes the last records.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// The library that answers requests, once a session was opened.
static CLIENT: OnceLock<Client> = OnceLock::new();

/// Begins the profile with the process, before `main`.
pub(crate) fn begin(setting: &'static Setting) {
    identity::begin_now();
    PROCESS.store(system::process(), Relaxed);
    modules::refresh(system::monotonic_ns(), true);
    let found = Client::find();
    let answer = found.map(Client::start);
    let client = found.filter(|_| answer == Some(0)).map(|client| *CLIENT.get_or_init(|| client));
    identity::answered(answer);
    clock::prepare(setting);
    if !begin_file() || !interrupt(setting) {
        return;
    }
    if disposition::is_blocked(setting.signal) {
        report_blocked(setting);
    }
    present_thread();
    client.into_iter().for_each(register);
}

/// Prepares threads' records and the signal's handler. False, with a diagnostic, if the system refuses that.
fn interrupt(setting: &Setting) -> bool {
    if !threads::prepare(on_thread_end) {
        report(Diagnostic::Thread, |text| {
            text.push(b"0 samples because the system refuses what is needed to know threads by");
        });
        return false;
    }
    if !sample::install(setting.signal) {
        report(Diagnostic::Handler, |text| {
            text.push(b"0 samples because no program can have a handler for signal ")
                .number(setting.signal.unsigned_abs().into());
        });
        return false;
    }
    OPEN.store(true, Relaxed);
    true
}

fn register(client: Client) {
    client.register([FORK, JOIN], |event| if event == FORK { on_fork } else { on_join });
    client.register(waits::EVENTS, |_| waits::on_wait);
}

/// Begins the profile of a process that runs already. The answer is 0, or an error number: see [`attach_inside::progress`].
pub(crate) fn begin_attached(setting: &'static Setting) -> i32 {
    let Some(client) = Client::find() else { return START_IMPOSSIBLE };
    leave_inherited();
    current_thread::begin_session();
    stacks::forget();
    diagnostics::forget();
    identity::begin_now();
    PROCESS.store(system::process(), Relaxed);
    modules::refresh(system::monotonic_ns(), true);
    let answer = client.start();
    if answer != 0 {
        return answer;
    }
    CLIENT.get_or_init(|| client);
    identity::answered(Some(0));
    clock::prepare(setting);
    IS_ENDING.store(false, Relaxed);
    FILE_STATE.store(NOT_BEGUN, Relaxed);
    if !begin_file() {
        client.stop();
        FILE_STATE.store(NONE, Relaxed);
        return NO_FILE;
    }
    if interrupt(setting) {
        register(client);
    }
    0
}

/// Ends the profile of a process that goes on: no clock, no file and no callback are left. The handler stays: a thread may block the
/// signal of a clock that has ended.
pub(crate) fn end_attached() {
    let Some(client) = client() else { return };
    client.stop();
    client.wait_for_callbacks();
    // SeqCst: pairs with the load in `is_open`.
    OPEN.store(false, SeqCst);
    let is_quiet = threads::wait_for_handlers();
    let ended = end();
    threads::all().for_each(clock::stop);
    if let Some(setting) = setting::get() {
        disposition::drop_pending(setting.signal);
    }
    if is_quiet && ended {
        FILE.forget();
        threads::end_session();
    }
}

/// The library that answers requests. Async-signal-safe, as are the functions below.
pub(crate) fn client() -> Option<Client> {
    CLIENT.get().copied()
}

/// The calling thread's state and region.
pub(crate) fn doing() -> Doing {
    client().map(Client::doing).unwrap_or_default()
}

/// The region that the calling thread executes; 0 for none.
pub(crate) fn region() -> u64 {
    client().map_or(0, Client::region)
}

/// The calling thread's record; makes one for a thread whose creation wasn't seen.
pub(crate) fn present_thread() -> Option<&'static Thread> {
    if IS_INHERITED.load(Relaxed) {
        leave_inherited();
        return None;
    }
    let (thread, is_new) = current_thread::get_or(threads::take)?;
    if is_new {
        thread.begin(Stack::Asked);
    }
    thread.be_hung_up();
    Some(thread)
}

/// Closes the session that this forked child has inherited: it is the parent's.
#[cold]
fn leave_inherited() {
    if IS_INHERITED.swap(false, Relaxed) {
        client().into_iter().for_each(Client::stop);
    }
}

/// True while records are written. Async-signal-safe, as is the next one.
pub(crate) fn is_open() -> bool {
    // SeqCst: with the store of `in_handler` before, against the store in `end` and the loads behind it (store buffering): this
    // thread sees the end, or the end waits for its handler.
    OPEN.load(SeqCst)
}

/// True if threads without a record are interrupted, and get one.
pub(crate) fn takes_in() -> bool {
    is_open() && setting::get().is_some_and(|setting| setting.attached)
}

/// True in the process that began the profile, and in a child that the C library has made. False in a child that shares
/// its memory, or in a copy that was made without the C library's fork handlers.
pub(crate) fn is_here() -> bool {
    system::process() == PROCESS.load(Relaxed)
}

/// True if records go into a file of this process; begins the file if necessary. Async-signal-safe.
pub(crate) fn begin_file() -> bool {
    if !is_here() {
        return false;
    }
    // Acquire: pairs with the stores below and in `on_exit`; publishes the file. Release: with this exchange of another thread.
    match FILE_STATE.compare_exchange(NOT_BEGUN, BEGINNING, AcqRel, Acquire) {
        Ok(_) => {}
        Err(state) => return state == BEGUN && FILE.is_open(),
    }
    let begun = setting::get().is_some_and(|setting| folder::make(setting).and_then(|path| FILE.begin(path)).is_ok());
    if begun {
        FILE.write(Record::Begin { version: profile_format::VERSION });
        identity::write();
        modules::write_all();
    }
    // Release: pairs with the compare-exchange above; publishes the file.
    FILE_STATE.store(if begun { BEGUN } else { NONE }, Release);
    begun
}

/// As [`begin_file`], but waits for a thread that makes the file. Not in a signal handler, which may have interrupted that.
pub(crate) fn wait_for_file() -> bool {
    while is_here() && FILE_STATE.load(Relaxed) == BEGINNING {
        std::thread::yield_now();
    }
    begin_file()
}

extern "C" fn on_fork(_: c_int) {
    let Some(thread) = present_thread() else { return };
    thread.ended_ns.store(0, Relaxed);
    let [id, parent] = client().map_or([0; 2], Client::region_and_parent);
    if id == 0 {
        // The session was closed since the event: requests are refused, and the region has no number.
        return;
    }
    let registers = Registers::here();
    if parent == 0 {
        serial_time::fork(thread, id, || sample::stack_of(thread, registers));
    }
    thread.look(|scratch| {
        let kept = scratch.keep_fork(registers, thread.stack());
        if parent != scratch.within {
            scratch.within = parent;
            scratch.chain = if parent == 0 { forks::Chain::default() } else { forks::chain_within(parent) };
        }
        let fork = Fork::new(id, parent, kept, thread.number());
        thread.last_fork.keep(fork, &scratch.chain);
        forks::enter(fork, &scratch.chain);
    });
    if thread.unknown_region.load(Relaxed) == id {
        forks::sampled(id);
    }
}

extern "C" fn on_join(_: c_int) {
    // The clock was read when the barrier at the region's end was over, just before.
    let read_ns = current_thread::me().map_or(0, |thread| thread.ended_ns.swap(0, Relaxed));
    let now_ns = if read_ns == 0 { system::monotonic_ns() } else { read_ns };
    let region = region();
    forks::leave(region, now_ns);
    if let Some(thread) = current_thread::me() {
        serial_time::leave(thread, region, now_ns);
    }
}

extern "C" fn on_thread_end(thread: *mut c_void) {
    let Some(thread) = threads::at(thread) else { return };
    // The value may be of an earlier session, and the record another thread's now.
    if !current_thread::me().is_some_and(|me| ptr::eq(me, thread)) {
        return;
    }
    if thread.last_round() {
        explain(thread);
        thread.end();
    }
}

/// Writes why a thread that ran got no signal.
fn explain(thread: &Thread) {
    let Some(setting) = setting::get() else { return };
    let ran_ns = system::cpu_ns_of(thread.tid.load(Relaxed));
    if thread.delivered.load(Relaxed) > 0 || ran_ns < 2 * setting.period_ns() {
        return;
    }
    if disposition::is_taken() {
        report(Diagnostic::Handler, |text| {
            text.push(b"threads without samples because the program has a handler of its own for signal ");
            text.number(setting.signal.unsigned_abs().into()).push(b": choose another one, for example --signal 40");
        });
    } else if disposition::is_blocked(setting.signal) {
        report_blocked(setting);
    }
}

fn report_blocked(setting: &Setting) {
    report(Diagnostic::Blocked, |text| {
        text.push(b"threads without samples because the program blocks signal ");
        text.number(setting.signal.unsigned_abs().into()).push(b": choose another one, for example --signal 40");
    });
}

/// Ends the profile at the process's exit. Other threads may still run.
pub(crate) extern "C" fn on_exit() {
    end();
}

/// Writes the last records and closes the file. False if there is none, or another thread does that.
fn end() -> bool {
    if !begin_file() || IS_ENDING.swap(true, Relaxed) {
        return false;
    }
    let (now_ns, me) = (system::monotonic_ns(), current_thread::me());
    if let Some(me) = me {
        explain(me);
    }
    // Acquire: pairs with the store in `Thread::begin`; publishes the account and the thread's numbers.
    for thread in threads::all().filter(|thread| thread.live.swap(false, AcqRel)) {
        clock::stop(thread);
        let cpu_ns = system::cpu_ns_of(thread.tid.load(Relaxed));
        waits::write_open(thread, now_ns, cpu_ns);
        serial_time::write_sleep(thread, 0, Doing::default(), now_ns, cpu_ns);
        thread.write_end(now_ns, cpu_ns);
    }
    let error = FILE.error();
    if error != 0 && error != u64::from(libc::EBUSY.unsigned_abs()) {
        report(Diagnostic::File, |text| {
            text.push(b"samples are missing: the profile could not grow (error ").number(error).push(b")");
        });
    }
    FILE.write_surely(Record::End { ended_ns: system::monotonic_ns() });
    // Release: pairs with the compare-exchange in `begin_file`.
    FILE_STATE.store(NONE, Release);
    FILE.close();
    true
}

/// Prepares a forked child: it has no file until its first sample or its end.
pub(crate) extern "C" fn after_fork() {
    FILE.forget();
    PROCESS.store(system::process(), Relaxed);
    let alone = setting::get().is_none_or(|setting| setting.alone);
    IS_ENDING.store(false, Relaxed);
    let has_session = OPEN.swap(!alone, Relaxed);
    let is_attached = setting::get().is_some_and(|setting| setting.attached);
    IS_INHERITED.store(is_attached && (has_session || IS_INHERITED.load(Relaxed)), Relaxed);
    FILE_STATE.store(if alone { NONE } else { NOT_BEGUN }, Relaxed);
    identity::begin_now();
    diagnostics::forget();
    stacks::forget();
    modules::after_fork();
    threads::forget(!alone);
}
