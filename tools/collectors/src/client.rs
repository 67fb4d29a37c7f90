//! The requests of an ORA client, as the white paper lays them out. Unsafe: the call into the library.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::mem::transmute;

const REQ_START: i32 = 0;
const REQ_REGISTER: i32 = 1;
const REQ_CURRENT_PRID: i32 = 4;
const REQ_STOP: i32 = 6;
const REQ_TASK_ID: i32 = 9;
const REQ_TASK_PID: i32 = 10;

/// A callback for any event.
pub(crate) type Callback = extern "C" fn(c_int);

/// `__omp_collector_api`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client {
    api: unsafe extern "C" fn(*mut c_void) -> c_int,
}

/// One entry with `WORDS` words behind its head, and the closing zero.
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

impl Client {
    /// Looks for the interface in this process.
    pub(crate) fn find() -> Option<Self> {
        // SAFETY: a constant C string; the call only looks it up.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__omp_collector_api".as_ptr()) };
        if found.is_null() {
            return None;
        }
        // SAFETY: the white paper gives the symbol of this name this type.
        Some(Self { api: unsafe { transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void) -> c_int>(found) } })
    }

    /// Opens the session. The answer is the request's error code.
    pub(crate) fn start(self) -> i32 {
        self.single(Entry::new(REQ_START, [])).ec
    }

    /// Closes the session.
    pub(crate) fn stop(self) {
        self.single(Entry::new(REQ_STOP, []));
    }

    /// The region that the calling thread executes; 0 for none.
    pub(crate) fn current_region(self) -> u64 {
        let answer = self.single(Entry::new(REQ_CURRENT_PRID, [0; 2]));
        if answer.ec == 0 { whole(answer.mem) } else { 0 }
    }

    /// The task that the calling thread executes; 0 for none.
    pub(crate) fn task(self) -> u64 {
        let answer = self.single(Entry::new(REQ_TASK_ID, [0; 2]));
        if answer.ec == 0 { whole(answer.mem) } else { 0 }
    }

    /// That task, and the one that created it; 0 for none.
    pub(crate) fn task_and_parent(self) -> [u64; 2] {
        let entries = [REQ_TASK_ID, REQ_TASK_PID].map(|request| Entry::new(request, [0; 2]));
        let answers = self.call(Call { entries, end: 0 }).entries;
        answers.map(|answer| if answer.ec == 0 { whole(answer.mem) } else { 0 })
    }

    /// Asks for callbacks, each event for its own. The answer has bit n set where event n was refused.
    pub(crate) fn register<const N: usize>(self, events: [i32; N], callback: impl Fn(i32) -> Callback) -> u64 {
        let entries = events.map(|event| {
            let [low, high] = halves(callback(event) as usize as u64);
            Entry::new(REQ_REGISTER, [event as u32, low, high])
        });
        let answers = self.call(Call { entries, end: 0 }).entries;
        let refused = answers.iter().zip(events).filter(|(answer, _)| answer.ec != 0);
        refused.fold(0, |mask, (_, event)| mask | 1 << event)
    }

    fn single<const WORDS: usize>(self, entry: Entry<WORDS>) -> Entry<WORDS> {
        let [answer] = self.call(Call { entries: [entry], end: 0 }).entries;
        answer
    }

    fn call<const WORDS: usize, const N: usize>(self, mut call: Call<WORDS, N>) -> Call<WORDS, N> {
        // SAFETY: entries of their own `sz`, closed by a zero, on this thread's stack.
        unsafe { (self.api)((&raw mut call).cast()) };
        call
    }
}

const _: () = assert!(size_of::<Entry<3>>() == 28 && size_of::<Call<3, 2>>() == 60);

/// Packed entries lie at multiples of 4, so an 8-byte value is two words.
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

    /// Remembers the words of a call; refuses event 4.
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
            // SAFETY: an entry of `sz` bytes begins here.
            let entry = unsafe { std::slice::from_raw_parts_mut(at, words) };
            seen.extend([entry[1], entry.get(4).copied().unwrap_or(-1)]);
            entry[2] = if entry.get(4) == Some(&4) { 3 } else { 0 };
            if entry[1] == REQ_CURRENT_PRID {
                entry[4] = 7;
                entry[5] = 1;
            }
            // SAFETY: what follows the entry is the next one or the closing zero.
            at = unsafe { at.add(words) };
        }
    }

    extern "C" fn callback(_: c_int) {}

    #[test]
    fn requests_are_packed_entries_and_refusals_become_bits() {
        let client = Client { api: server };
        assert_eq!(client.start(), 0);
        assert_eq!(client.register([1, 4, 22], |_| callback), 1 << 4);
        assert_eq!(client.current_region(), 1 << 32 | 7);
        client.stop();
        let seen = SEEN.lock().unwrap().clone();
        assert_eq!(seen, [16, 0, -1, 0, 28, 1, 1, 28, 1, 4, 28, 1, 22, 0, 24, 4, 0, 0, 16, 6, -1, 0]);
    }
}
