//! An embedding runtime: this program reports its own regions and waits.
#![allow(unsafe_code)] // calls the library as a runtime

use std::ffi::{c_int, c_void};
use std::ptr::null;

use super::library::{Library, function};
use super::requester::{Offer, Requester};
use crate::reference::{Here, WaitId};

const WORK: i32 = 2;
const LOCK_WAIT: i32 = 8;
/// `struct ora_embed_runtime`: `ORA_EMBED_VERSION`, all of `ORA_EMBED_HAS_*`, no query function.
#[repr(C)]
struct Runtime(u32, u32, *const c_void);
/// `ORA_EMBED_WAIT_LOCK`.
const LOCK: c_int = 2;

#[derive(Clone, Copy)]
struct Embed {
    begin: unsafe extern "C" fn() -> *const c_void,
    member_begin: unsafe extern "C" fn(*const c_void),
    member_end: unsafe extern "C" fn(*const c_void),
    end: unsafe extern "C" fn(*const c_void),
    wait_begin: unsafe extern "C" fn(c_int, u64, *mut [u64; 6]),
    wait_end: unsafe extern "C" fn(*const [u64; 6]),
}

/// Runs threads, each of which executes regions of its own, until a limit is reached.
///
/// # Panics
/// If an answer differs from the reference's.
pub(crate) fn run(library: Library, threads: usize, seed: u64) {
    // SAFETY: `ora_embed_start` has this type (ora_embed.h).
    let start = unsafe { function::<unsafe extern "C" fn(*const Runtime) -> c_int>(c"ora_embed_start") };
    // SAFETY: a valid description of a runtime.
    assert_eq!(start.map(|start| unsafe { start(&Runtime(1, u32::MAX, null())) }), Some(0), "the runtime is taken on");
    let offer = Offer::of(library);
    let embed = (|| {
        Some(Embed {
            // SAFETY: the field has the type of `ora_embed_parallel_begin` (ora_embed.h).
            begin: unsafe { function(c"ora_embed_parallel_begin") }?,
            // SAFETY: the field has the type of `ora_embed_member_begin` (ora_embed.h).
            member_begin: unsafe { function(c"ora_embed_member_begin") }?,
            // SAFETY: the field has the type of `ora_embed_member_end` (ora_embed.h).
            member_end: unsafe { function(c"ora_embed_member_end") }?,
            // SAFETY: the field has the type of `ora_embed_parallel_end` (ora_embed.h).
            end: unsafe { function(c"ora_embed_parallel_end") }?,
            // SAFETY: the field has the type of `ora_embed_wait_begin` (ora_embed.h).
            wait_begin: unsafe { function(c"ora_embed_wait_begin") }?,
            // SAFETY: the field has the type of `ora_embed_wait_end` (ora_embed.h).
            wait_end: unsafe { function(c"ora_embed_wait_end") }?,
        })
    })();
    let embed = embed.expect("the library has what ora_embed.h declares");
    std::thread::scope(|scope| {
        for number in 0..threads.max(1) {
            let offer = &offer;
            scope.spawn(move || {
                let alone = threads <= 1;
                let mut requester = Requester::new(library, offer, seed + number as u64, alone);
                requester.query_state();
                let mut last = 0;
                while requester.make_calls(16) && region(embed, &mut requester, &mut last, alone, 0) {}
            });
        }
    });
}

/// Runs a region of one thread that contains another region and a wait. The number of the last region is known if no other thread executes
/// regions; it is queried if the session stays open.
fn region(embed: Embed, requester: &mut Requester, last: &mut u64, alone: bool, depth: usize) -> bool {
    let before = requester.here;
    // SAFETY: the thread is not a member of a region that has ended.
    let region = unsafe { (embed.begin)() };
    // SAFETY: the region has just begun.
    unsafe { (embed.member_begin)(region) };
    let id = if alone {
        *last + 1
    } else {
        requester.query_state();
        requester.here.region
    };
    assert!(id > *last, "region {id} comes after region {last}");
    *last = id;
    requester.here = Here { state: WORK, wait: WaitId::Known(0), region: id, parent: Some(before.region), ..before };
    let mut goes_on = requester.make_calls(32);
    let inside = requester.here;
    let mut mark = [0; 6];
    // SAFETY: the mark belongs to the thread until the wait is over.
    unsafe { (embed.wait_begin)(LOCK, id << 4, &raw mut mark) };
    requester.here = Here { state: LOCK_WAIT, wait: WaitId::Known(id << 4), ..inside };
    goes_on &= requester.make_calls(16);
    // SAFETY: `wait_begin` has written the mark, in this frame.
    unsafe { (embed.wait_end)(&raw const mark) };
    requester.here = inside;
    if depth < 2 && id.is_multiple_of(2) {
        goes_on &= self::region(embed, requester, last, alone, depth + 1);
    }
    // SAFETY: the region began on this thread, and the inner region has ended.
    unsafe { (embed.member_end)(region) };
    // SAFETY: the region began on this thread, and its only member has arrived at the last barrier.
    unsafe { (embed.end)(region) };
    requester.here = before;
    goes_on
}
