//! The profile of this process: its start, its end, and its continuation in a forked child.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};

use attach_inside::progress::{NO_FILE, START_IMPOSSIBLE};
use ora_client::{CallbackWords, Client, Doing, OuterCall};
use profile_format::Record;

use crate::diagnostics::{self, Diagnostic, report};
use crate::file::FILE;
use crate::region_place::{Chain, Fork, Kept};
use crate::registers::Registers;
use crate::setting::Setting;
use crate::thread_record::Thread;
use crate::{
    client, clock, current_thread, disposition, file_state, forks, handler, identity, inherited, modules, process,
    sample, sampling, serial_time, setting, stacks, system, threads, waits,
};

const FORK: c_int = 1;
const JOIN: c_int = 2;

/// True once a thread writes the last records.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Starts the profile with the process, before `main`.
pub(crate) fn begin(setting: &'static Setting) {
    identity::begin_with_program();
    process::begin();
    modules::refresh(system::monotonic_ns(), true);
    let found = Client::find();
    let answer = found.map(Client::start);
    let client = found.filter(|_| answer == Some(0)).map(client::keep);
    identity::answered(answer);
    clock::prepare(setting);
    if !file_state::begin() || !interrupt(setting) {
        return;
    }
    if disposition::is_blocked(setting.signal) {
        report_blocked(setting);
    }
    threads::present();
    client.into_iter().for_each(register);
}

/// Prepares threads' records and the signal's handler. False, with a diagnostic, if the system refuses that.
fn interrupt(setting: &Setting) -> bool {
    if !threads::prepare(on_thread_end) {
        report(Diagnostic::Thread, |text| {
            text.push(b"0 samples because the system refuses a key for the threads' own data, or memory for it");
        });
        return false;
    }
    if !handler::install(setting.signal) {
        report(Diagnostic::Handler, |text| {
            text.push(b"0 samples because no program can have a handler for signal ")
                .number(setting.signal.unsigned_abs().into());
        });
        return false;
    }
    sampling::open();
    true
}

fn register(client: Client) {
    client.register([FORK, JOIN], |event| if event == FORK { on_fork } else { on_join });
    client.register(waits::EVENTS, |_| waits::on_wait);
}

/// Starts the profile of a process that is already running. Returns 0, or an error number: see
/// [`attach_inside::progress`].
pub(crate) fn begin_attached(setting: &'static Setting) -> i32 {
    let Some(client) = Client::find() else { return START_IMPOSSIBLE };
    inherited::leave();
    current_thread::begin_session();
    stacks::forget();
    diagnostics::forget();
    identity::begin_now();
    process::begin();
    modules::refresh(system::monotonic_ns(), true);
    let answer = client.start();
    if answer != 0 {
        return answer;
    }
    client::keep(client);
    identity::answered(Some(0));
    clock::prepare(setting);
    IS_ENDING.store(false, Relaxed);
    file_state::reset(true);
    if !file_state::begin() {
        client.stop();
        file_state::reset(false);
        return NO_FILE;
    }
    if interrupt(setting) {
        register(client);
    }
    0
}

/// Ends the profile of a process that continues: no clock, file or callback is left. The handler stays: a thread may block the signal
/// of a clock that has ended.
pub(crate) fn end_attached() {
    let Some(client) = client::get() else { return };
    client.stop();
    client.wait_for_callbacks();
    sampling::close();
    let is_quiet = threads::wait_for_handlers();
    let ended = end();
    threads::stop_clocks();
    if let Some(setting) = setting::get() {
        disposition::drop_pending(setting.signal);
    }
    if is_quiet && ended {
        FILE.forget();
        threads::end_session();
    }
}

extern "C" fn on_fork(_: c_int) {
    let Some(thread) = threads::present() else { return };
    thread.ended_ns.store(0, Relaxed);
    let [id, parent] = client::get().map_or([0; 2], Client::region_and_parent);
    if id == 0 {
        // The session was closed since the event: requests are refused, and the region does not have a number.
        return;
    }
    let outer = client::get().and_then(Client::callback_words).and_then(CallbackWords::outer_call);
    if outer.is_some() {
        identity::meet_own_runtime();
    }
    let outer = outer.and_then(OuterCall::address);
    let registers = Registers::here();
    if parent == 0 {
        serial_time::fork(thread, id, || sample::stack_of(thread, registers));
    }
    thread.look(|scratch| {
        let kept = scratch.keep_fork(registers, thread.stack(), outer);
        if parent != scratch.within {
            scratch.within = parent;
            scratch.chain = if parent == 0 { Chain::default() } else { forks::chain_within(parent) };
        }
        let fork = Fork::new(id, parent, kept, thread.number());
        forks::enter(&Kept::new(fork, scratch.chain));
    });
    if thread.unknown_region.load(Relaxed) == id {
        forks::sampled(id);
    }
}

extern "C" fn on_join(_: c_int) {
    // The clock was read when the barrier at the region's end was over, just before.
    let read_ns = current_thread::me().map_or(0, |thread| thread.ended_ns.swap(0, Relaxed));
    let now_ns = if read_ns == 0 { system::monotonic_ns() } else { read_ns };
    let region = client::region();
    forks::leave(region, now_ns);
    if let Some(thread) = current_thread::me() {
        serial_time::leave(thread, region, now_ns);
    }
}

extern "C" fn on_thread_end(thread: *mut c_void) {
    let Some(thread) = threads::at(thread) else { return };
    // The value may belong to an earlier session, and the record may now be another thread's.
    if !current_thread::me().is_some_and(|me| ptr::eq(me, thread)) {
        return;
    }
    if threads::last_round(thread) {
        explain(thread);
        threads::end(thread);
    }
}

/// Writes why a thread that ran did not get a signal.
fn explain(thread: &Thread) {
    let Some(setting) = setting::get() else { return };
    let ran_ns = system::cpu_ns_of(thread.tid.load(Relaxed));
    if thread.delivered.load(Relaxed) > 0 || ran_ns < 2 * setting.period_ns() {
        return;
    }
    if disposition::has_own_handler() {
        report(Diagnostic::Handler, |text| {
            text.push(b"threads without samples because the program has a handler of its own for signal ");
            text.number(setting.signal.unsigned_abs().into()).push(b": choose another one, for example --signal 40");
        });
    } else if disposition::is_blocked(setting.signal) {
        report_blocked(setting);
    } else if thread.cramped.load(Relaxed) {
        report(Diagnostic::AlternateStack, |text| {
            text.push(b"threads without samples because their alternate stacks are too small");
        });
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

/// Ends the profile at the process's end without exit handlers, if it has begun. Async-signal-safe.
pub(crate) fn on_quick_exit() {
    // A forked child that has no sample leaves no file: most of them execute another program, or fail to.
    if process::is_here() && FILE.is_open() {
        end();
    }
}

/// Writes the last records and closes the file. Returns false if there is none, or another thread does that.
fn end() -> bool {
    if !file_state::begin() || IS_ENDING.swap(true, Relaxed) {
        return false;
    }
    let (now_ns, me) = (system::monotonic_ns(), current_thread::me());
    if let Some(me) = me {
        // What follows is no code of the program's.
        me.clock.stop();
        explain(me);
    }
    // Acquire: pairs with the store in `threads::begin`; publishes the account and the thread's numbers.
    for thread in threads::all().filter(|thread| thread.live.swap(false, AcqRel)) {
        thread.clock.stop();
        let cpu_ns = system::cpu_ns_of(thread.tid.load(Relaxed));
        waits::write_open(thread, now_ns, cpu_ns);
        serial_time::write_sleep(thread, 0, Doing::default(), now_ns, cpu_ns);
        threads::write_end(thread, now_ns, cpu_ns);
    }
    modules::complete(now_ns);
    let error = FILE.error();
    if error != 0 && error != u64::from(libc::EBUSY.unsigned_abs()) {
        report(Diagnostic::File, |text| {
            text.push(b"samples are missing: the profile could not grow (error ").number(error).push(b")");
        });
    }
    FILE.write_surely(Record::End { ended_ns: system::monotonic_ns() });
    file_state::end();
    FILE.close();
    true
}

/// Prepares a forked child: it does not have a file until its first sample or its end.
pub(crate) extern "C" fn after_fork() {
    FILE.forget();
    process::begin();
    let alone = setting::get().is_none_or(|setting| setting.alone);
    IS_ENDING.store(false, Relaxed);
    let has_session = sampling::set_in_child(!alone);
    let is_attached = setting::get().is_some_and(|setting| setting.attached);
    inherited::set(is_attached && (has_session || inherited::is_open()));
    file_state::reset(!alone);
    identity::begin_now();
    diagnostics::forget();
    stacks::forget();
    modules::after_fork();
    threads::forget(!alone);
}
