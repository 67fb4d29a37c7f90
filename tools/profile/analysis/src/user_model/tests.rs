//! Tests of the synthesis: the white paper's example, and further ones. Stacks start with the leaf.

use profile_format::simulated::Simulated;
use profile_format::{Cut, Reader};

use super::*;
use crate::state::State as S;

/// Addresses of the program's functions, the runtime's, and the thread's start.
const MAIN: u64 = 1100;
const FOO: u64 = 1200;
const FOO_OMPA: u64 = 1300;
const BAR: u64 = 1400;
const TASK: u64 = 1500;
const START: u64 = 1900;
const OMP_RT: u64 = 2100;
const OMP_WAIT: u64 = 2200;
const ORA: u64 = 3100;
const COLLECTOR: u64 = 4100;
const THREAD_START: u64 = 5100;
const MALLOC: u64 = 5200;

const FORK: [u64; 6] = [COLLECTOR, ORA, ORA + 1, FOO, MAIN, START];

fn name(step: Step) -> String {
    let Step::Code { address, .. } = step else {
        let Step::Pseudo(pseudo) = step else { unreachable!() };
        return pseudo.to_owned();
    };
    let known = [
        (MAIN, "main"),
        (FOO, "foo"),
        (FOO_OMPA, "foo-OMPa"),
        (BAR, "bar"),
        (TASK, "task"),
        (START, "<start>"),
        (OMP_RT, "<omp-rt>"),
        (OMP_WAIT, "<omp-wait>"),
        (ORA, "<ora>"),
        (COLLECTOR, "<collector>"),
        (THREAD_START, "<thread_start>"),
        (MALLOC, "malloc"),
    ];
    let (base, name) = known.into_iter().rev().find(|(base, _)| (*base..*base + 90).contains(&address)).unwrap();
    if address == base { name.to_owned() } else { format!("{name}+{}", address - base) }
}

/// Stacks of samples (thread, region, state, machine stack); true for those whose region is lost.
fn stacks(mut file: Simulated, samples: &[(u32, u64, S, &[u64])], view: View) -> (Vec<String>, Vec<bool>) {
    let ids: Vec<u32> = samples.iter().map(|(.., frames)| file.stack(frames)).collect();
    for ((thread, region, state, _), id) in samples.iter().zip(ids) {
        file.sample(*thread, *region, state.0, id);
    }
    let process = Process::read(Reader::new(&file.bytes).unwrap());
    let mut model = UserModel::new(&process, view);
    let spots: Vec<Spot> = process.samples.iter().map(|sample| model.spot(sample)).collect();
    let path = |spot: &Spot| model.calls().path(spot.node).map(name).collect::<Vec<_>>().join(" ");
    (spots.iter().map(path).collect(), spots.iter().map(|spot| spot.lost).collect())
}

fn user(file: Simulated, samples: &[(u32, u64, S, &[u64])]) -> Vec<String> {
    stacks(file, samples, View::User).0
}

/// Builds one region of four threads, begun in foo.
fn example() -> Simulated {
    let mut file = Simulated::new();
    file.region(1, 0, 0, &FORK);
    file
}

#[test]
fn the_papers_four_threads_have_one_stack() {
    let master = &[FOO_OMPA, OMP_RT, ORA, FOO, MAIN, START][..];
    let slave = &[FOO_OMPA, OMP_RT, OMP_RT + 1, COLLECTOR + 5, THREAD_START][..];
    let samples = [(0, 1, S::WORK, master), (1, 1, S::WORK, slave), (2, 1, S::WORK, slave), (3, 1, S::WORK, slave)];
    assert_eq!(user(example(), &samples), ["foo-OMPa foo main <start>"; 4]);
}

#[test]
fn before_the_region_nothing_changes() {
    let samples = [(0, 0, S::SERIAL, &[FOO, MAIN, START][..]), (0, 0, S::NONE, &[BAR, MAIN, START])];
    assert_eq!(user(Simulated::new(), &samples), ["foo main <start>", "bar main <start>"]);
}

#[test]
fn a_pseudo_function_stands_for_the_runtime_at_the_leaf() {
    let master = &[OMP_WAIT, ORA, FOO_OMPA, OMP_RT, ORA, FOO, MAIN, START][..];
    let slave = &[MALLOC, OMP_WAIT, FOO_OMPA, OMP_RT, THREAD_START][..];
    for number in 1..17 {
        let state = S(number);
        let found = user(example(), &[(0, 1, state, master), (1, 1, state, slave)]);
        // A thread that works, or is not waiting, is nevertheless in the runtime.
        let shown = if matches!(state, S::WORK | S::SERIAL) { S::RUNTIME } else { state };
        let expected = match shown.pseudo() {
            Some("<OMP-idle>") => "<OMP-idle>".to_owned(),
            Some(pseudo) => format!("{pseudo} foo-OMPa foo main <start>"),
            None => "foo-OMPa foo main <start>".to_owned(),
        };
        assert_eq!(found, [expected.clone(), expected], "{state:?}");
    }
}

#[test]
fn the_barrier_that_ends_a_region_is_directly_in_it() {
    let master = &[OMP_WAIT, ORA, FOO, MAIN, START][..];
    let slave = &[OMP_WAIT, OMP_RT, COLLECTOR, THREAD_START][..];
    let found = user(example(), &[(0, 1, S::IMPLICIT_BARRIER, master), (1, 1, S::IMPLICIT_BARRIER, slave)]);
    assert_eq!(found, ["<OMP-implicit_barrier> foo main <start>"; 2]);
}

#[test]
fn overhead_outside_of_regions_stands_where_it_arises_and_alone_on_workers() {
    let samples =
        [(0, 0, S::OVERHEAD, &[ORA, FOO, MAIN, START][..]), (1, 0, S::OVERHEAD, &[OMP_RT, COLLECTOR, THREAD_START])];
    assert_eq!(user(Simulated::new(), &samples), ["<OMP-overhead> foo main <start>", "<OMP-overhead>"]);
}

#[test]
fn a_thread_that_has_not_come_to_the_programs_code_shows_none_of_ours() {
    let new = &[MALLOC, COLLECTOR, ORA, THREAD_START][..];
    let samples = [(1, 0, S::SERIAL, new), (2, 0, S::SERIAL, &[OMP_RT, COLLECTOR, THREAD_START])];
    assert_eq!(user(Simulated::new(), &samples), ["<start and end>"; 2]);
    assert_eq!(stacks(Simulated::new(), &samples[..1], View::Expert).0, ["malloc <thread_start>"]);
}

/// Builds nested regions: foo forks region 1; in its body, main+10 calls bar, which forks region 2 (by thread 0) and 3
/// (by thread 1).
fn nested() -> Simulated {
    let mut file = example();
    file.region(2, 1, 0, &[COLLECTOR, ORA, BAR, FOO_OMPA, OMP_RT, ORA, FOO, MAIN, START]);
    file.region(3, 1, 1, &[COLLECTOR, ORA, BAR, FOO_OMPA, OMP_RT, THREAD_START]);
    file
}

#[test]
fn nested_teams_of_two_have_one_stack() {
    let inner = BAR + 5;
    let samples = [
        (0, 2, S::WORK, &[inner, OMP_RT, ORA, BAR, FOO_OMPA, OMP_RT, ORA, FOO, MAIN, START][..]),
        (2, 2, S::WORK, &[inner, OMP_RT, THREAD_START]),
        (1, 3, S::WORK, &[inner, OMP_RT, ORA, BAR, FOO_OMPA, OMP_RT, THREAD_START]),
        (3, 3, S::WORK, &[inner, OMP_RT, THREAD_START]),
    ];
    assert_eq!(user(nested(), &samples), ["bar+5 bar foo-OMPa foo main <start>"; 4]);
}

#[test]
fn the_barriers_that_end_nested_regions_are_directly_in_them() {
    let state = S::IMPLICIT_BARRIER;
    let samples = [
        (0, 2, state, &[OMP_WAIT, ORA, BAR, FOO_OMPA, OMP_RT, ORA, FOO, MAIN, START][..]),
        (2, 2, state, &[OMP_WAIT, OMP_RT, THREAD_START]),
        (1, 3, state, &[OMP_WAIT, ORA, BAR, FOO_OMPA, OMP_RT, THREAD_START]),
        (1, 1, state, &[OMP_WAIT, OMP_RT, THREAD_START]),
    ];
    let inner = "<OMP-implicit_barrier> bar foo-OMPa foo main <start>";
    assert_eq!(user(nested(), &samples), [inner, inner, inner, "<OMP-implicit_barrier> foo main <start>"]);
}

#[test]
fn a_function_whose_last_call_was_the_fork_is_not_missed() {
    // The outer body has called bar, and bar the runtime, by jumps: the runtime returns to the runtime.
    let mut file = example();
    file.region(2, 1, 0, &[COLLECTOR, ORA, OMP_RT, ORA, FOO, MAIN, START]);
    file.region(3, 1, 1, &[COLLECTOR, ORA, OMP_RT, COLLECTOR + 5, THREAD_START]);
    let samples = [
        (0, 2, S::WORK, &[BAR, OMP_RT, ORA, OMP_RT, ORA, FOO, MAIN, START][..]),
        (1, 3, S::WORK, &[BAR, OMP_RT, ORA, OMP_RT, COLLECTOR + 5, THREAD_START]),
        (2, 3, S::WORK, &[BAR, OMP_RT, THREAD_START]),
        (1, 3, S::IMPLICIT_BARRIER, &[OMP_WAIT, ORA, OMP_RT, COLLECTOR + 5, THREAD_START]),
    ];
    let work = "bar foo main <start>";
    assert_eq!(user(file, &samples), [work, work, work, "<OMP-implicit_barrier> foo main <start>"]);
}

#[test]
fn recursion_through_regions_keeps_every_level() {
    // foo's body calls foo, which forks again.
    let mut file = example();
    file.region(2, 1, 1, &[COLLECTOR, ORA, FOO, FOO_OMPA, OMP_RT, THREAD_START]);
    file.region(3, 2, 2, &[COLLECTOR, ORA, FOO, FOO_OMPA, OMP_RT, THREAD_START]);
    let samples = [
        (2, 3, S::WORK, &[BAR, FOO_OMPA, OMP_RT, ORA, FOO, FOO_OMPA, OMP_RT, THREAD_START][..]),
        (3, 3, S::WORK, &[BAR, FOO_OMPA, OMP_RT, THREAD_START]),
    ];
    assert_eq!(user(file, &samples), ["bar foo-OMPa foo foo-OMPa foo foo-OMPa foo main <start>"; 2]);
}

#[test]
fn serialized_regions_need_no_runtime_below_their_body() {
    let samples = [
        (0, 1, S::WORK, &[FOO_OMPA, OMP_RT, ORA, FOO, MAIN, START][..]),
        (0, 1, S::WORK, &[FOO_OMPA, FOO + 7, MAIN, START]),
        (0, 1, S::WORK, &[BAR, FOO_OMPA, FOO + 7, MAIN, START]),
    ];
    let expected = ["foo-OMPa foo main <start>", "foo-OMPa foo main <start>", "bar foo-OMPa foo main <start>"];
    assert_eq!(user(example(), &samples), expected);
}

#[test]
fn functions_that_the_body_calls_wait_where_they_wait() {
    let samples = [
        (0, 1, S::EXPLICIT_BARRIER, &[OMP_WAIT, ORA, BAR, FOO_OMPA, OMP_RT, ORA, FOO, MAIN, START][..]),
        (1, 1, S::EXPLICIT_BARRIER, &[OMP_WAIT, ORA, BAR, FOO_OMPA, OMP_RT, THREAD_START]),
    ];
    assert_eq!(user(example(), &samples), ["<OMP-explicit_barrier> bar foo-OMPa foo main <start>"; 2]);
}

#[test]
fn tasks_stand_under_their_region_on_any_thread() {
    let samples = [
        // At the end of the region; in a barrier of the body; immediately.
        (0, 1, S::WORK, &[BAR, TASK, OMP_WAIT, ORA, FOO, MAIN, START][..]),
        (1, 1, S::WORK, &[BAR, TASK, OMP_WAIT, OMP_RT, THREAD_START]),
        (1, 1, S::WORK, &[BAR, TASK, OMP_WAIT, ORA, FOO_OMPA, OMP_RT, THREAD_START]),
        (0, 1, S::WORK, &[BAR, TASK, OMP_WAIT, ORA, FOO_OMPA, OMP_RT, ORA, FOO, MAIN, START]),
    ];
    assert_eq!(user(example(), &samples), ["bar task foo main <start>"; 4]);
}

#[test]
fn a_region_that_is_not_in_the_file_leaves_the_machines_stack_without_the_runtime() {
    let slave = &[OMP_WAIT, FOO_OMPA, OMP_RT, THREAD_START][..];
    let (found, lost) = stacks(example(), &[(1, 9, S::EXPLICIT_BARRIER, slave), (1, 1, S::WORK, slave)], View::User);
    assert_eq!(found, ["<OMP-explicit_barrier> foo-OMPa <thread_start>", "<OMP-runtime> foo-OMPa foo main <start>"]);
    assert_eq!(lost, [true, false]);

    let mut file = Simulated::new();
    file.region(2, 1, 1, &[COLLECTOR, ORA, BAR, FOO_OMPA, OMP_RT, THREAD_START]);
    let (found, lost) = stacks(file, &[(2, 2, S::WORK, &[BAR + 5, OMP_RT, THREAD_START])], View::User);
    assert_eq!(found, ["bar+5 bar foo-OMPa <thread_start>"], "the outer region is missing");
    assert_eq!(lost, [true]);
}

#[test]
fn regions_that_are_their_own_ancestors_end_somewhere() {
    let mut file = Simulated::new();
    for id in 1..500_u32 {
        file.region(id.into(), (id % 499 + 1).into(), id, &[ORA, BAR, OMP_RT, THREAD_START]);
    }
    file.region(500, 500, 1, &[ORA, BAR, OMP_RT, THREAD_START]);
    let sample = &[FOO, OMP_RT, THREAD_START][..];
    let (found, lost) = stacks(file, &[(2, 300, S::WORK, sample), (2, 500, S::WORK, sample)], View::User);
    assert!(found[0].starts_with("foo bar bar"), "{found:?}");
    assert_eq!(lost, [true; 2]);
}

#[test]
fn missing_frames_are_shown_where_they_are_missing() {
    let mut file = example();
    let (outside, inside) = (file.cut_stack(&[BAR, FOO], Cut::NoRule), file.cut_stack(&[BAR, FOO_OMPA], Cut::Deep));
    file.sample(0, 0, 6, outside);
    file.sample(1, 1, 2, inside);
    file.sample(1, 1, 2, 0);
    file.sample(1, 0, 2, 0);
    let (found, _) = stacks(file, &[], View::User);
    assert_eq!(found, ["bar foo <truncated stack>", "bar foo-OMPa foo main <start>", "foo main <start>", "<no stack>"]);
}

#[test]
fn the_expert_sees_the_runtime_and_the_machine_is_left_alone() {
    let samples = [
        (0, 2, S::WORK, &[BAR + 5, OMP_RT, ORA, BAR, FOO_OMPA, OMP_RT, ORA, FOO, MAIN, START][..]),
        // The collector is called at the end of a wait.
        (2, 2, S::LOCK, &[COLLECTOR, ORA, OMP_WAIT, BAR + 5, OMP_RT, THREAD_START]),
        (2, 0, S::IDLE, &[OMP_WAIT, OMP_RT, THREAD_START]),
    ];
    let expert = [
        "bar+5 <omp-rt> bar foo-OMPa <omp-rt> foo main <start>",
        "<omp-wait> bar+5 <omp-rt> bar foo-OMPa <omp-rt> foo main <start>",
        "<omp-wait> <omp-rt> <thread_start>",
    ];
    assert_eq!(stacks(nested(), &samples, View::Expert).0, expert);
    let machine = [
        "bar+5 <omp-rt> <ora> bar foo-OMPa <omp-rt> <ora> foo main <start>",
        "<omp-wait> bar+5 <omp-rt> <thread_start>",
        "<omp-wait> <omp-rt> <thread_start>",
    ];
    assert_eq!(stacks(nested(), &samples, View::Machine).0, machine);
}
