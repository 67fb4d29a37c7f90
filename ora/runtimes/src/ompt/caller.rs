//! gcc's code on these runtimes: they call all barriers of it but a region's last one by the same kind. Which function the code
//! called says more: `GOMP_barrier`, or the end of a construct.
#![allow(unsafe_code)] // reads the program's code

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::*};
use system::objects::any_object;

/// Answers are kept: for a return address, whether the call before it is of `GOMP_barrier`.
const PLACES: usize = 64;
static KNOWN: [AtomicUsize; PLACES] = [const { AtomicUsize::new(0) }; PLACES];
/// The bit of an answer that says yes; addresses have 47 bits.
const YES: usize = 1 << 63;

/// Where the runtimes have `__kmpc_barrier`. Their own `GOMP_barrier` calls it, and of functions for gcc's code no other does;
/// now and then (libomp 19, natively too) the return address that they give is the one of that call.
static INNER: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];

/// The test for other functions that stand for `GOMP_barrier`.
static IS_GOMP_BARRIER: OnceLock<fn(usize) -> bool> = OnceLock::new();

/// Notes that test.
pub(super) fn prepare(is_gomp_barrier: fn(usize) -> bool) {
    let _ = IS_GOMP_BARRIER.set(is_gomp_barrier);
}

/// A runtime has started.
pub(super) fn look_for_barriers() {
    let mut free = INNER.iter();
    any_object(&mut |object| {
        if let Some(function) = object.function(c"__kmpc_barrier", None) {
            free.next().into_iter().for_each(|place| place.store(function as usize, Relaxed));
        }
        false
    });
}

/// Whether the call that returns to this address is an explicit barrier of gcc's code.
pub(super) fn is_explicit_barrier(code: usize) -> bool {
    if code == 0 {
        return false;
    }
    let Some(place) = KNOWN.get((code ^ code >> 6) % PLACES) else { return false };
    let known = place.load(Relaxed);
    if known & !YES == code {
        return known & YES != 0;
    }
    let target = target(code);
    let inner = |target: usize| INNER.iter().any(|inner| inner.load(Relaxed) == target);
    let explicit =
        target.is_some_and(|target| inner(target) || IS_GOMP_BARRIER.get().is_some_and(|is_it| is_it(target)));
    place.store(code | if explicit { YES } else { 0 }, Relaxed);
    explicit
}

/// The function that the call before this address calls.
fn target(code: usize) -> Option<usize> {
    // `call rel32`, to the linkage table or to the function itself.
    if byte(code.checked_sub(5)?) == 0xe8 {
        let callee = code.wrapping_add_signed(word(code - 4) as isize);
        return through_table(callee).or(Some(callee));
    }
    // `call [rip + rel32]` (-fno-plt).
    if byte(code - 6) == 0xff && byte(code - 5) == 0x15 {
        return Some(slot(code.wrapping_add_signed(word(code - 4) as isize)));
    }
    None
}

/// Where an entry of the linkage table jumps to.
fn through_table(entry: usize) -> Option<usize> {
    // endbr64
    let entry = if word(entry).cast_unsigned() == 0xfa1e_0ff3 { entry + 4 } else { entry };
    // bnd
    let entry = if byte(entry) == 0xf2 { entry + 1 } else { entry };
    // `jmp [rip + rel32]`
    let is_jump = byte(entry) == 0xff && byte(entry + 1) == 0x25;
    is_jump.then(|| slot((entry + 6).wrapping_add_signed(word(entry + 2) as isize)))
}

fn byte(address: usize) -> u8 {
    // SAFETY: code before a return address that the runtime gave, or where the call there leads: mapped, and readable on x86-64
    // Linux. Assumed: with 0xe8 five bytes before the address, the call is a direct one.
    unsafe { (address as *const u8).read() }
}

fn word(address: usize) -> i32 {
    // SAFETY: four bytes of mapped code, for the reason given in `byte`; read unaligned.
    unsafe { (address as *const i32).read_unaligned() }
}

fn slot(address: usize) -> usize {
    // SAFETY: the operand of an indirect call or jump that the program has executed, whose 8 bytes it read; read unaligned.
    unsafe { (address as *const usize).read_unaligned() }
}
