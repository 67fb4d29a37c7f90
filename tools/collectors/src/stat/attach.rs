//! Where the system and the library call in: start of the image, events, fork, end of a thread, exit. Unsafe: these calls,
//! and the ones that ask for them.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::without_provenance_mut;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use super::area;
use super::client::Client;
use super::clock::monotonic_ns;
use super::identity;
use super::layout::{Activity, Area, flag};
use super::member::{LOCAL, MEMBER};
use super::timeline::Happening;

/// FORK, JOIN, and both ends of IDLE, IBAR, EBAR, LKWT, CTWT, ODWT and ATWT.
const EVENTS: [i32; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 21, 22];

struct Session {
    area: &'static Area,
    client: Client,
    /// A `pthread_key` whose destructor says that a thread ends.
    key: Option<libc::pthread_key_t>,
}

static SESSION: OnceLock<Session> = OnceLock::new();

unsafe extern "C" {
    fn secure_getenv(name: *const c_char) -> *const c_char;
}

/// Runs when the library is loaded, before `main` and before the constructors of the program's own libraries.
#[unsafe(no_mangle)]
pub(super) extern "C" fn ora_stat_attach() {
    // Not honoured in a program that runs with another user's rights.
    // SAFETY: a constant C string; nobody changes the environment while libraries are being loaded.
    let path = unsafe { secure_getenv(c"ORA_STAT_FILE".as_ptr()) };
    if path.is_null() {
        return;
    }
    // SAFETY: the environment's strings end in a zero and stay as they are while libraries are being loaded.
    let path = unsafe { CStr::from_ptr(path) };
    if let Some(area) = area::open(path) {
        attach(area);
    }
}

fn attach(area: &'static Area) {
    let begun_ns = monotonic_ns();
    let pid = std::process::id();
    let root = pid == area.header.root_pid.load(Relaxed);
    if !root && area.header.no_follow.load(Relaxed) != 0 {
        return;
    }
    area.meet(pid);
    end_earlier_image(area, pid, begun_ns);
    MEMBER.begun_ns.store(begun_ns, Relaxed);
    MEMBER.flags.store(if root { flag::ROOT } else { 0 }, Relaxed);
    LOCAL.with(|local| local.borrow_mut().born(begun_ns));
    if let Some(client) = Client::find() {
        open_session(area, client);
    }
    if root {
        MEMBER.claim(area);
    }
    // SAFETY: the handler is a function of this library, which is never unloaded.
    unsafe { libc::atexit(on_exit) };
}

fn open_session(area: &'static Area, client: Client) {
    let mut key = 0;
    // SAFETY: `key` is there to be written; the destructor lives as long as the process.
    let made = unsafe { libc::pthread_key_create(&raw mut key, Some(on_thread_end)) };
    let session = Session { area, client, key: (made == 0).then_some(key) };
    if SESSION.set(session).is_err() {
        return;
    }
    let answer = client.start();
    MEMBER.session.store(answer.unsigned_abs() + 1, Relaxed);
    if answer == 0 {
        MEMBER.refused.store(client.register(EVENTS, on_event), Relaxed);
        // SAFETY: the handler is a function of this library, which is never unloaded.
        unsafe { libc::pthread_atfork(None, None, Some(after_fork)) };
    }
}

/// A process that goes on as another program can't say so; its next image does.
fn end_earlier_image(area: &Area, pid: u32, at_ns: u64) {
    let open = |slot: &super::layout::ProcessSlot| slot.pid.load(Acquire) == pid && slot.end_ns.load(Relaxed) == 0;
    for (_, slot) in area.process_slots().filter(|(_, slot)| open(slot)) {
        slot.flags.fetch_or(flag::REPLACED, Relaxed);
        slot.end_ns.store(at_ns, Relaxed);
    }
}

extern "C" fn on_event(event: c_int) {
    let at_ns = monotonic_ns();
    let Some(session) = SESSION.get() else { return };
    if MEMBER.mute.load(Relaxed) {
        return session.client.stop();
    }
    let Some(what) = happening(event, session.client) else { return };
    LOCAL.with(|local| {
        // Taken only if a signal handler came in between and raised an event: then that one is left out.
        let Ok(mut local) = local.try_borrow_mut() else { return };
        if local.enter(session.area, at_ns, || watch_end(session)) {
            local.happens(session.area, what, at_ns);
        }
    });
}

fn happening(event: c_int, client: Client) -> Option<Happening> {
    use Activity::*;
    let wait =
        |begin, activity| Some(if event == begin { Happening::Begin(activity) } else { Happening::End(activity) });
    match event {
        1 => Some(Happening::Fork(client.current_region())),
        2 => Some(Happening::Join(client.current_region())),
        3 => Some(Happening::BeginIdle),
        4 => Some(Happening::EndIdle(client.current_region())),
        5 | 6 => wait(5, ImplicitBarrier),
        7 | 8 => wait(7, ExplicitBarrier),
        9 | 10 => wait(9, Lock),
        11 | 12 => wait(11, Critical),
        13 | 14 => wait(13, Ordered),
        21 | 22 => wait(21, Atomic),
        _ => None,
    }
}

fn watch_end(session: &Session) {
    set_key(session, 1);
}

fn set_key(session: &Session, value: usize) {
    if let Some(key) = session.key {
        // SAFETY: the key was made in `open_session` and is never deleted.
        unsafe { libc::pthread_setspecific(key, without_provenance_mut(value)) };
    }
}

/// Called in turn with the destructors of others, in rounds: some of those may still raise events, so the slot is given
/// away in the second round only.
extern "C" fn on_thread_end(round: *mut c_void) {
    let Some(session) = SESSION.get() else { return };
    LOCAL.with(|local| {
        let Ok(mut local) = local.try_borrow_mut() else { return };
        local.close();
        if round.addr() == 1 {
            set_key(session, 2);
        } else {
            local.leave();
        }
    });
}

/// In a forked child. Other handlers may not have run yet and locks may be held: no request is made here.
extern "C" fn after_fork() {
    let Some(session) = SESSION.get() else { return };
    let at_ns = monotonic_ns();
    MEMBER.begin_again(at_ns);
    LOCAL.with(|local| {
        if let Ok(mut local) = local.try_borrow_mut() {
            local.born(at_ns);
        }
    });
    if session.area.header.no_follow.load(Relaxed) == 0 {
        session.area.meet(std::process::id());
    } else {
        MEMBER.mute.store(true, Relaxed);
    }
}

extern "C" fn on_exit() {
    let Some(session) = SESSION.get() else { return };
    if let Some(slot) = MEMBER.slot(session.area) {
        identity::enter_runtimes(slot);
        slot.end_ns.store(monotonic_ns(), Relaxed);
        slot.flags.fetch_or(flag::EXITED, Relaxed);
    }
}

/// The kernel's number of this thread.
pub(super) fn thread_id() -> u32 {
    // SAFETY: a system call without arguments.
    unsafe { libc::gettid() }.unsigned_abs()
}
