//! Quiescence: waits until no thread is inside a callback of a tool that goes.

use crate::interface::Face;
use crate::thread;
use system::threads::{barrier_on_all, pause};

/// How often to look whether other threads are out, with a millisecond in between: one that never comes out, because its
/// callback waits for us or was left by an exception, doesn't hold up the program.
const LOOKS: u32 = 100;

/// Waits until no other thread is inside a callback of the face, whose tool wants nothing more and has no callback left. At
/// most for a tenth of a second.
pub(crate) fn settle(face: Face) {
    // Setting the pin and looking for the callback are two plain instructions: what puts them in order is done here, once, not at
    // each event. From here on another thread has set its pin, or it finds no callback left.
    barrier_on_all();
    for _ in 0..LOOKS {
        if !thread::another_calls_back(face) {
            break;
        }
        pause(1_000_000);
    }
}
