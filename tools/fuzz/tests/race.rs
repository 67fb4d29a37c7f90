//! Threads that fight over the session get answers that some order explains.
#![allow(missing_docs)] // a test

#[test]
fn threads_that_fight_over_the_session_are_answered_done_or_too_late() {
    assert!(fuzz::race::fight(3, 100_000) > 0, "nobody was too late: they did not fight");
}
