//! The requests of an ORA client, as the white paper lays them out ("The Collector/OpenMP Runtime API"). Unsafe: the call
//! into the library.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const REQ_START: i32 = 0;
const REQ_REGISTER: i32 = 1;
const REQ_STATE: i32 = 3;
const REQ_CURRENT_PRID: i32 = 4;
const REQ_PARENT_PRID: i32 = 5;

/// A callback for any event.
pub(crate) type Callback = extern "C" fn(c_int);

type Api = unsafe extern "C" fn(*mut c_void) -> c_int;

/// `__omp_collector_api`; 0: not found, or no session was opened.
static API: AtomicUsize = AtomicUsize::new(0);

/// One entry with `WORDS` words behind its head.
#[repr(C)]
#[derive(Clone, Copy)]
struct Entry<const WORDS: usize> {
    sz: i32,
    r: i32,
    ec: i32,
    rsz: i32,
    mem: [u32; WORDS],
}

#[repr(C)]
struct Call<const WORDS: usize, const ENTRIES: usize> {
    entries: [Entry<WORDS>; ENTRIES],
    end: i32,
}

impl<const WORDS: usize> Entry<WORDS> {
    /// Its size in bytes: a few words.
    #[allow(clippy::cast_possible_truncation)]
    const SIZE: i32 = size_of::<Self>() as i32;

    fn new(r: i32, mem: [u32; WORDS]) -> Self {
        Self { sz: Self::SIZE, r, ec: -1, rsz: 0, mem }
    }
}

/// What a thread is doing. Zeros where nobody answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Doing {
    pub(crate) state: u32,
    pub(crate) wait: u64,
    pub(crate) region: u64,
}

/// Opens the session. The answer is the request's error code; `None`: no `__omp_collector_api`.
pub(crate) fn start() -> Option<i32> {
    // SAFETY: a constant C string; the call only looks it up.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__omp_collector_api".as_ptr()) };
    if found.is_null() {
        return None;
    }
    API.store(found.addr(), Relaxed);
    let answer = call([Entry::<0>::new(REQ_START, [])]).map_or(-1, |[answer]| answer.ec);
    if answer != 0 {
        API.store(0, Relaxed);
    }
    Some(answer)
}

/// Where `__omp_collector_api` is.
pub(crate) fn address() -> u64 {
    API.load(Relaxed) as u64
}

/// Asks for callbacks.
pub(crate) fn register(event: i32, callback: Callback) {
    let [low, high] = halves(callback as usize as u64);
    call([Entry::new(REQ_REGISTER, [event.cast_unsigned(), low, high])]);
}

/// Async-signal-safe, as these requests are.
pub(crate) fn doing() -> Doing {
    // Registrations were packed, so STATE answers packed: the wait id stands behind the state.
    let entries = [REQ_STATE, REQ_CURRENT_PRID].map(|request| Entry::new(request, [0; 3]));
    let Some([state, region]) = call(entries) else { return Doing::default() };
    let [number, low, high] = state.mem;
    let [first, second, _] = region.mem;
    let answered = state.ec == 0;
    Doing {
        state: if answered { number } else { 0 },
        wait: if answered && state.rsz >= 12 { whole([low, high]) } else { 0 },
        region: if region.ec == 0 { whole([first, second]) } else { 0 },
    }
}

/// The current region: cheaper than [`doing`]. Async-signal-safe.
pub(crate) fn region() -> u64 {
    let [answer] = call([Entry::new(REQ_CURRENT_PRID, [0; 2])]).unwrap_or([Entry::new(REQ_CURRENT_PRID, [0; 2])]);
    if answer.ec == 0 { whole(answer.mem) } else { 0 }
}

/// The current region, and the one around it.
pub(crate) fn region_and_parent() -> [u64; 2] {
    let asked = [REQ_CURRENT_PRID, REQ_PARENT_PRID].map(|request| Entry::new(request, [0; 2]));
    let Some(answers) = call(asked) else { return [0; 2] };
    answers.map(|answer| if answer.ec == 0 { whole(answer.mem) } else { 0 })
}

fn call<const WORDS: usize, const ENTRIES: usize>(entries: [Entry<WORDS>; ENTRIES]) -> Option<[Entry<WORDS>; ENTRIES]> {
    let address = API.load(Relaxed);
    if address == 0 {
        return None;
    }
    // SAFETY: the white paper gives the symbol, whose address this is, this type.
    let api = unsafe { transmute::<usize, Api>(address) };
    let mut call = Call { entries, end: 0 };
    // SAFETY: entries of their own `sz` behind each other, closed by a zero, on this thread's stack.
    unsafe { api((&raw mut call).cast()) };
    Some(call.entries)
}

const _: () = assert!(size_of::<Call<3, 2>>() == 60);

/// Packed entries lie at multiples of 4, so an 8-byte value is two words.
fn halves(value: u64) -> [u32; 2] {
    let [a, b, c, d, e, f, g, h] = value.to_ne_bytes();
    [u32::from_ne_bytes([a, b, c, d]), u32::from_ne_bytes([e, f, g, h])]
}

fn whole([first, second]: [u32; 2]) -> u64 {
    let ([a, b, c, d], [e, f, g, h]) = (first.to_ne_bytes(), second.to_ne_bytes());
    u64::from_ne_bytes([a, b, c, d, e, f, g, h])
}
