//! Quiescence: waits until no thread is inside a callback of a detached tool.

use crate::interface::Interface;
use crate::thread;
use std::hint::spin_loop;
use system::threads::{barrier_on_all, pause};

/// The number of checks, with a millisecond in between. The bound keeps the program going where a callback never
/// returns, because it waits for this thread or was left by an exception.
const LOOKS: u32 = 100;

/// Hints to the processor that take 20 to 100 microseconds.
const SPINS: u32 = 2000;

/// Waits until no other thread is inside a callback of the interface, whose tool has no subscription and no callback
/// left. Waits for at most a tenth of a second.
pub fn wait_for_quiescence(interface: Interface) {
    // In a callback's dispatch, the pin is stored and the callback is loaded by two plain instructions: this barrier
    // orders them, once, instead of a fence at each event (`CallbackPin`). From here on another thread has set its pin,
    // or it finds no callback left.
    barrier_on_all();
    wait_for_callbacks(interface);
}

/// The same where a tool is detached for good, at the latest by the end of the process. Until somebody calls back, it makes no
/// system call: the program may have installed a filter that kills it for membarrier(2) (seccomp(2)).
pub fn wait_for_last_callbacks(interface: Interface) {
    // In place of the barrier, time: a thread that has loaded the callback has its pin on the way to memory, which takes it some
    // hundred nanoseconds; where it is interrupted there, the kernel's switch to another thread waits for that.
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
