//! Quiescence: waits until no thread is inside a callback of a detached tool.

use crate::interface::Interface;
use crate::thread;
use std::hint::spin_loop;
use system::threads::{barrier_on_all, pause};

/// The number of checks, which are a millisecond apart. The bound keeps the program going if a callback never returns,
/// because it waits for this thread or was left by an exception.
const LOOKS: u32 = 100;

/// Number of spin-loop hints, which together take 20 to 100 microseconds.
const SPINS: u32 = 2000;

/// Waits until no other thread is inside a callback of the interface. Called when its tool's subscriptions and
/// callbacks have been removed. Waits for at most a tenth of a second.
pub fn wait_for_quiescence(interface: Interface) {
    // In a callback's dispatch, the pin is stored and the callback is loaded by two plain instructions: this barrier
    // orders them, once, instead of a fence at each event (`CallbackPin`). From here on, another thread has either set
    // its pin, or finds that the callback is removed.
    barrier_on_all();
    wait_for_callbacks(interface);
}

/// Like [`wait_for_quiescence`], for a tool that is detached for good. It makes no system call unless a callback is
/// being executed: the program may have installed a filter that kills it for membarrier(2) (seccomp(2)).
pub fn wait_for_last_callbacks(interface: Interface) {
    // Waiting replaces the barrier: a thread that has loaded the callback has already issued the store of its pin, which takes some hundred
    // nanoseconds to reach memory. If the thread is interrupted there, the kernel's switch to another thread waits for the store.
    for _ in 0..SPINS {
        spin_loop();
    }
    wait_for_callbacks(interface);
}

fn wait_for_callbacks(interface: Interface) {
    for _ in 0..LOOKS {
        if !thread::another_calls_back(interface) {
            break;
        }
        pause(1_000_000);
    }
}
