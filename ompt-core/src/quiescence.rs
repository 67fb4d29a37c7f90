//! Quiescence: waits until no thread is inside a callback of a detached tool.

use crate::interface::Interface;
use crate::thread;
use system::threads::{barrier_on_all, pause};

/// The number of checks, with a millisecond in between. The bound keeps the program going where a callback never
/// returns, because it waits for this thread or was left by an exception.
const LOOKS: u32 = 100;

/// Waits until no other thread is inside a callback of the interface, whose tool has no subscription and no callback
/// left. Waits for at most a tenth of a second.
pub fn wait_for_quiescence(interface: Interface) {
    // In a callback's dispatch, the pin is stored and the callback is loaded by two plain instructions: this barrier
    // orders them, once, instead of a fence at each event (`CallbackPin`). From here on another thread has set its pin,
    // or it finds no callback left.
    barrier_on_all();
    for _ in 0..LOOKS {
        if !thread::another_calls_back(interface) {
            break;
        }
        pause(1_000_000);
    }
}
