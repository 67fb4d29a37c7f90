//! Answers of blocked threads in a session without registrations, one claim for each kind of wait.

use compat_tests::forge::Forge;
use compat_tests::numbers::state;
use compat_tests::run::Launch;

/// Expected line of `programs/blocked.c`.
fn thread(state: i32, wait: &str, region: &str) -> String {
    format!("thread: ec 0, state {state}, wait id {wait}, prid ec 0, region {region}\n")
}

/// Expected lines of two threads that give the same answer and share the wait id.
fn both(state: i32, wait: &str) -> String {
    thread(state, wait, "the team's").repeat(2) + "wait ids of both: same\n"
}

fn blocked(kind: &str, wanted: &str) {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let outcome = Launch::of(&forge, &forge.program("blocked.c")).arg(kind).with_ora().run().succeeded();
    assert_eq!(outcome.text(), wanted, "{}", outcome.describe());
}

/// Checks two consecutive barriers, which have different wait ids.
fn two_barriers(kind: &str, state: i32) {
    blocked(kind, &(both(state, "some").repeat(2) + "the next barrier: another wait id\n"));
}

#[test]
fn a_thread_that_waits_for_a_lock_is_in_lkwt_with_its_address() {
    blocked("lock", &both(state::LKWT, "as it must be"));
}

#[test]
fn a_thread_that_waits_for_a_nest_lock_is_in_lkwt_with_its_address() {
    blocked("nest", &both(state::LKWT, "as it must be"));
}

#[test]
fn a_thread_that_waits_for_a_named_critical_section_is_in_ctwt_with_the_names_address() {
    blocked("named", &both(state::CTWT, "as it must be"));
}

#[test]
fn a_thread_that_waits_for_the_unnamed_critical_section_is_in_ctwt() {
    blocked("unnamed", &both(state::CTWT, "some"));
}

#[test]
fn a_thread_that_waits_for_an_atomic_update_is_in_atwt() {
    blocked("atomic", &both(state::ATWT, "some"));
}

#[test]
fn a_thread_that_waits_to_combine_a_reduction_is_in_atwt() {
    blocked("reduction", &both(state::ATWT, "some"));
}

#[test]
fn a_thread_that_waits_for_its_turn_is_in_odwt() {
    blocked("ordered", &both(state::ODWT, "some"));
}

#[test]
fn a_thread_that_waits_for_its_turn_to_go_on_to_the_next_iteration_is_in_odwt() {
    blocked("ordered-next", &both(state::ODWT, "some"));
}

#[test]
fn threads_that_wait_for_an_earlier_iteration_of_a_doacross_loop_are_in_odwt() {
    blocked("doacross", &both(state::ODWT, "some"));
}

#[test]
fn a_task_that_creates_one_which_has_to_wait_for_others_is_suspended() {
    blocked("undeferred", &thread(state::TASK_SUSPEND, "none", "the team's"));
}

#[test]
fn a_thread_that_openmp_does_not_know_is_in_lkwt_too() {
    let threads = thread(state::LKWT, "as it must be", "none").repeat(2);
    blocked("outside", &(threads + "wait ids of both: same\n"));
}

#[test]
fn threads_that_meet_in_an_explicit_barrier_share_a_wait_id_of_its_own() {
    two_barriers("explicit", state::EBAR);
}

#[test]
fn threads_that_meet_at_a_loops_end_share_a_wait_id_of_its_own() {
    two_barriers("loop", state::IBAR);
}

#[test]
fn threads_that_meet_at_a_regions_end_share_a_wait_id_of_its_own() {
    two_barriers("region", state::IBAR);
}

#[test]
fn threads_that_wait_for_a_single_are_in_its_barrier_which_gcc_calls_explicit() {
    blocked("single", &both(state::EBAR, "some"));
}

#[test]
fn threads_that_wait_for_a_single_with_copyprivate_are_in_ibar() {
    blocked("copyprivate", &both(state::IBAR, "some"));
}

#[test]
fn a_master_and_a_worker_that_wait_at_a_regions_end_are_both_in_ibar() {
    blocked("master", &both(state::IBAR, "some"));
}

#[test]
fn workers_in_the_pool_are_idle_and_the_initial_thread_is_serial() {
    let workers = thread(state::IDLE, "none", "none").repeat(2) + "wait ids of both: same\n";
    blocked("idle", &(workers + "initial thread: state 6, region none\n"));
}
