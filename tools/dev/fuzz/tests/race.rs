//! Checks that threads that race for the session get answers that some order explains.
#![allow(missing_docs)] // a test

#[test]
fn threads_that_fight_over_the_session_are_answered_done_or_too_late() {
    fuzz::race::fight(4, 1_000_000);
}
