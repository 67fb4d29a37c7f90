//! Requests of an ORA client, in the layout of the white paper ("The Collector/OpenMP Runtime API"). Unsafe: the call into the library.
//!
//! Any thread may send them; [`Client::doing`] and the queries for ids are async-signal-safe, as these requests are.
#![allow(unsafe_code)]

mod words;

use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute;

pub use words::{CallbackWords, OuterCall, StampClock, Stamps, Words};

const REQ_START: i32 = 0;
const REQ_REGISTER: i32 = 1;
const REQ_STATE: i32 = 3;
const REQ_CURRENT_PRID: i32 = 4;
const REQ_PARENT_PRID: i32 = 5;
const REQ_STOP: i32 = 6;
const REQ_TASK_ID: i32 = 9;
const REQ_TASK_PID: i32 = 10;

/// Callback for any event.
pub type Callback = extern "C" fn(c_int);

type Api = unsafe extern "C" fn(*mut c_void) -> c_int;
/// `ora_thread_words`.
type ThreadWords = extern "C" fn() -> *const Words;
/// `ora_wait_for_callbacks`.
type WaitForCallbacks = extern "C" fn();
/// `ora_callback_words`.
type FindCallbackWords = extern "C" fn() -> *const CallbackWords;

/// `__omp_collector_api`, and the functions that `libora.so` exports in addition. They are looked up once, because `dlsym` waits for a
/// thread that is in `dlopen`, and constructors that run there may execute parallel regions.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    api: Api,
    words: Option<ThreadWords>,
    callback_words: Option<FindCallbackWords>,
    wait: Option<WaitForCallbacks>,
}

/// State, wait id and region of a thread. A field is 0 if its request was refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Doing {
    /// Number of an `OMP_COLLECTOR_API_THR_STATE`.
    pub state: u32,
    /// Wait id that belongs to the state.
    pub wait: u64,
    /// Region that the thread executes.
    pub region: u64,
}

/// An entry whose head is followed by `WORDS` words.
#[repr(C)]
#[derive(Clone, Copy)]
struct Entry<const WORDS: usize> {
    sz: i32,
    r: i32,
    ec: i32,
    rsz: i32,
    mem: [u32; WORDS],
}

/// Entries, followed by the closing zero.
#[repr(C)]
struct Call<const WORDS: usize, const ENTRIES: usize> {
    entries: [Entry<WORDS>; ENTRIES],
    end: i32,
}

impl<const WORDS: usize> Entry<WORDS> {
    /// Size of the entry in bytes: a few words.
    #[allow(clippy::cast_possible_truncation)]
    const SIZE: i32 = size_of::<Self>() as i32;

    fn new(r: i32, mem: [u32; WORDS]) -> Self {
        Self { sz: Self::SIZE, r, ec: -1, rsz: 0, mem }
    }
}

impl Entry<2> {
    /// Returns an id; 0 if it was refused.
    fn id(&self) -> u64 {
        if self.ec == 0 { whole(self.mem) } else { 0 }
    }
}

/// Looks up a function of this process. Takes the dynamic linker's lock.
fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a C string; the call only looks it up (dlsym(3)).
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

impl Client {
    /// Finds the interface in this process.
    pub fn find() -> Option<Self> {
        let api = symbol(c"__omp_collector_api")?;
        // SAFETY: the white paper gives the symbol of this name this type.
        let api = unsafe { transmute::<*mut c_void, Api>(api) };
        // SAFETY: the library gives the symbol of this name this type (ora/src/exports.rs).
        let words = symbol(c"ora_thread_words").map(|found| unsafe { transmute::<*mut c_void, ThreadWords>(found) });
        let callback_words = symbol(c"ora_callback_words");
        // SAFETY: the library gives the symbol of this name this type (ora/src/exports.rs).
        let callback_words = callback_words.map(|found| unsafe { transmute::<*mut c_void, FindCallbackWords>(found) });
        let wait = symbol(c"ora_wait_for_callbacks");
        // SAFETY: the library gives the symbol of this name this type (ora/src/exports.rs).
        let wait = wait.map(|found| unsafe { transmute::<*mut c_void, WaitForCallbacks>(found) });
        Some(Self { api, words, callback_words, wait })
    }

    /// Words that the calling thread's callbacks share; `None` if nobody reads them.
    pub fn callback_words(self) -> Option<&'static CallbackWords> {
        // SAFETY: the calling thread's own storage, as the function promises. The result stays on this thread, and is valid as long as the
        // thread exists.
        unsafe { self.callback_words?().as_ref() }
    }

    /// Words of the calling thread; `None` if nobody writes any.
    pub fn words(self) -> Option<&'static Words> {
        // SAFETY: null, or words that live as long as the process, as the function promises.
        unsafe { self.words?().as_ref() }
    }

    /// Address of `__omp_collector_api`.
    pub fn address(self) -> u64 {
        self.api as usize as u64
    }

    /// Opens the session. Returns the request's error code.
    pub fn start(self) -> i32 {
        let [answer] = self.call([Entry::<0>::new(REQ_START, [])]);
        answer.ec
    }

    /// Closes the session.
    pub fn stop(self) {
        self.call([Entry::<0>::new(REQ_STOP, [])]);
    }

    /// Waits until no other thread is inside a callback of the session that was closed, for at most a tenth of a second. Not
    /// async-signal-safe, and must not be called in a callback.
    pub fn wait_for_callbacks(self) {
        if let Some(wait) = self.wait {
            wait();
        }
    }

    /// Registers a callback for each event. Bit n of the result is set if event n was refused.
    pub fn register<const N: usize>(self, events: [i32; N], callback: impl Fn(i32) -> Callback) -> u64 {
        let answers = self.call(events.map(|event| {
            let [low, high] = halves(callback(event) as usize as u64);
            Entry::new(REQ_REGISTER, [event.cast_unsigned(), low, high])
        }));
        let refused = answers.iter().zip(events).filter(|(answer, _)| answer.ec != 0);
        refused.fold(0, |mask, (_, event)| mask | 1 << event)
    }

    /// State, wait id and region of the calling thread. Only valid after a [`Self::register`].
    pub fn doing(self) -> Doing {
        // Registrations were packed, so the answer to STATE is packed as well: the wait id directly follows the state.
        let [state, region] = self.call([REQ_STATE, REQ_CURRENT_PRID].map(|request| Entry::new(request, [0; 3])));
        let [number, low, high] = state.mem;
        let [first, second, _] = region.mem;
        let answered = state.ec == 0;
        Doing {
            state: if answered { number } else { 0 },
            wait: if answered && state.rsz >= 12 { whole([low, high]) } else { 0 },
            region: if region.ec == 0 { whole([first, second]) } else { 0 },
        }
    }

    /// Region that the calling thread executes, or 0.
    pub fn region(self) -> u64 {
        let [region] = self.ids([REQ_CURRENT_PRID]);
        region
    }

    /// Region of the calling thread, and the enclosing region; 0 if there is none.
    pub fn region_and_parent(self) -> [u64; 2] {
        self.ids([REQ_CURRENT_PRID, REQ_PARENT_PRID])
    }

    /// Task that the calling thread executes, or 0.
    pub fn task(self) -> u64 {
        let [task] = self.ids([REQ_TASK_ID]);
        task
    }

    /// Task of the calling thread, and the task that created it; 0 if there is none.
    pub fn task_and_parent(self) -> [u64; 2] {
        self.ids([REQ_TASK_ID, REQ_TASK_PID])
    }

    fn ids<const N: usize>(self, requests: [i32; N]) -> [u64; N] {
        self.call(requests.map(|request| Entry::new(request, [0; 2]))).map(|answer| answer.id())
    }

    fn call<const WORDS: usize, const N: usize>(self, entries: [Entry<WORDS>; N]) -> [Entry<WORDS>; N] {
        let mut call = Call { entries, end: 0 };
        // SAFETY: consecutive entries, each with its own `sz`, followed by a zero, on this thread's stack.
        unsafe { (self.api)((&raw mut call).cast()) };
        call.entries
    }
}

const _: () = assert!(size_of::<Entry<3>>() == 28 && size_of::<Call<3, 2>>() == 60);

/// Packed entries are at multiples of 4, so an 8-byte value consists of two words.
fn halves(value: u64) -> [u32; 2] {
    let [a, b, c, d, e, f, g, h] = value.to_ne_bytes();
    [u32::from_ne_bytes([a, b, c, d]), u32::from_ne_bytes([e, f, g, h])]
}

fn whole([first, second]: [u32; 2]) -> u64 {
    let ([a, b, c, d], [e, f, g, h]) = (first.to_ne_bytes(), second.to_ne_bytes());
    u64::from_ne_bytes([a, b, c, d, e, f, g, h])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    static SEEN: Mutex<Vec<i32>> = Mutex::new(Vec::new());

    /// Records the words of a call; refuses event 4.
    unsafe extern "C" fn server(arg: *mut c_void) -> c_int {
        let mut at = arg.cast::<i32>();
        let mut seen = SEEN.lock().unwrap();
        loop {
            // SAFETY: the walk stays within entries of the stated size, up to the closing zero.
            let sz = unsafe { *at };
            seen.push(sz);
            if sz == 0 {
                return 0;
            }
            let words = usize::try_from(sz).unwrap() / 4;
            // SAFETY: an entry of `sz` bytes starts here.
            let entry = unsafe { std::slice::from_raw_parts_mut(at, words) };
            seen.extend([entry[1], entry.get(4).copied().unwrap_or(-1)]);
            entry[2] = if entry.get(4) == Some(&4) { 3 } else { 0 };
            if entry[1] == REQ_CURRENT_PRID {
                entry[4] = 7;
                entry[5] = 1;
            }
            // SAFETY: the entry is followed by the next one or by the closing zero.
            at = unsafe { at.add(words) };
        }
    }

    extern "C" fn callback(_: c_int) {}

    #[test]
    fn requests_are_packed_entries_and_refusals_become_bits() {
        let client = Client { api: server, words: None, callback_words: None, wait: None };
        assert_eq!(client.start(), 0);
        assert_eq!(client.register([1, 4, 22], |_| callback), 1 << 4);
        assert_eq!(client.region(), 1 << 32 | 7);
        client.stop();
        let seen = SEEN.lock().unwrap().clone();
        assert_eq!(seen, [16, 0, -1, 0, 28, 1, 1, 28, 1, 4, 28, 1, 22, 0, 24, 4, 0, 0, 16, 6, -1, 0]);
    }
}
