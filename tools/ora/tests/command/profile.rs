//! `ora profile`: the recordings that its collector leaves for programs of all kinds.
//!
//! A machine that shares its processors loses ticks, so the tests require few samples.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::harness::{Folder, errors, ora, run, text};
use crate::profile_read::{End, Seen, seen};
use profile_format::{Cut, Moment, Sample};

const WORK: u32 = 2;
const EBAR: u32 = 4;
const IDLE: u32 = 5;
const SERIAL: u32 = 6;

/// Runs the program; returns the recordings of its processes.
fn profile(folder: &Folder, options: &[&str], program: &Path, arguments: &[&str]) -> (Output, Vec<Seen>) {
    let to = folder.file("profile");
    let _ = fs::remove_dir_all(&to);
    let output = run(ora(&["profile", "-o"]).arg(&to).args(options).arg("--").arg(program).args(arguments));
    let seen = seen(&to);
    (output, seen)
}

fn compile(folder: &Folder) -> std::path::PathBuf {
    folder.compile("profiled", "profiled", &["-O2", "-fomit-frame-pointer", "-fopenmp", "-pthread", "-rdynamic"])
}

/// Address ranges of the program's functions `heavy` and `light`.
fn code(output: &Output) -> [std::ops::Range<u64>; 2] {
    let said = text(output);
    let mut numbers = said.lines().next().unwrap().split(' ').map(|word| u64::from_str_radix(&word[2..], 16).unwrap());
    [(); 2].map(|()| numbers.next().unwrap()..numbers.next().unwrap())
}

#[test]
#[ignore = "slow: --all runs it"]
fn work_that_is_split_is_seen_split() {
    let folder = Folder::new();
    let (output, processes) = profile(&folder, &["-F", "250"], &compile(&folder), &["split", "1"]);
    let [heavy, light] = code(&output);
    let [process] = &processes[..] else { panic!("{}", errors(&output)) };
    let leaves =
        |range: &std::ops::Range<u64>| process.samples().filter(|s| range.contains(&process.leaf(s))).count() as f64;
    let (heavy, light) = (leaves(&heavy), leaves(&light));
    let all = heavy + light;
    assert!(all > 200.0 && all > 0.9 * process.samples().count() as f64, "{heavy} {light}");
    let sigma = (0.7 * 0.3 / all).sqrt();
    assert!((heavy / all - 0.7).abs() < 4.0 * sigma, "{heavy} {light}");
    // Both threads are in the same region, whose fork leads down to main, and no time is missing.
    assert_eq!(process.regions.len(), 1);
    let region = process.regions.values().next().unwrap();
    assert_eq!(process.stacks[&region.stack].0, Cut::Whole);
    assert!(process.samples().filter(|s| s.state == WORK).all(|s| s.region == region.id));
    let cpu_ns: u64 =
        process.samples().map(|s| s.cpu_ns).sum::<u64>() + process.ends.iter().map(|e| e.cpu_ns).sum::<u64>();
    assert!((2.0..2.5).contains(&(cpu_ns as f64 / 1e9)), "{cpu_ns}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_program_by_clang_on_llvms_runtime_is_sampled_alike() {
    let folder = Folder::new();
    let options = ["-std=gnu11", "-O2", "-fopenmp", "-pthread", "-rdynamic"];
    let Some(program) = folder.clang("profiled", "clang", &options) else { return };
    let (output, processes) = profile(&folder, &[], &program, &["split", "0.5"]);
    let [process] = &processes[..] else { panic!("{}", errors(&output)) };
    let [heavy, light] = code(&output);
    let working: Vec<_> = process.samples().filter(|s| s.state == WORK && s.region != 0).collect();
    assert!(working.len() > 20, "{}", working.len());
    let inside = |s: &&&profile_format::Sample| {
        let leaf = process.leaf(s);
        heavy.contains(&leaf) || light.contains(&leaf)
    };
    assert!(working.iter().filter(inside).count() * 10 > working.len() * 9);
    let cut = working.iter().filter(|s| process.stacks[&s.stack].0 != Cut::Whole).count();
    assert!(cut * 20 <= working.len(), "{cut}");
    assert!(working.iter().all(|s| process.regions.contains_key(&s.region)));
    for threads in [0, 1] {
        assert!(working.iter().any(|s| s.thread == threads));
    }
}

#[test]
fn the_wall_clock_is_refused_as_it_changes_programs() {
    let folder = Folder::new();
    let (output, processes) = profile(&folder, &["--clock", "wall"], &compile(&folder), &["sleep"]);
    let said = errors(&output);
    assert_eq!((output.status.code(), processes.len()), (Some(125), 0), "{said}");
    assert!(said.contains("--clock wall no longer exists") && said.contains("<asleep outside of OpenMP>"), "{said}");
    let (output, _) = profile(&folder, &["--clock", "cpu"], &compile(&folder), &["sleep"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
}

#[test]
#[ignore = "slow: --all runs it"]
fn stacks_are_whole_through_libraries_signals_and_aligned_frames() {
    let folder = Folder::new();
    let program = compile(&folder);
    let (output, processes) = profile(&folder, &[], &program, &["depths"]);
    let [process] = &processes[..] else { panic!("{}", errors(&output)) };
    let stacks: Vec<_> = process.samples().filter_map(|s| process.stacks.get(&s.stack)).collect();
    assert!(stacks.len() > 10, "{}", stacks.len());
    let whole = stacks.iter().filter(|(cut, _)| *cut == Cut::Whole).count();
    assert!(whole + 1 >= stacks.len(), "{whole} of {}", stacks.len());
    // All of them end in the same function: _start, below main.
    let root = *stacks[0].1.last().unwrap();
    assert!(stacks.iter().filter(|(_, frames)| frames.last() == Some(&root)).count() + 1 >= stacks.len());
    // The handler's stack leads through the C library (raise) to main.
    assert!(stacks.iter().any(|(_, frames)| frames.len() > 8), "a signal's frame is passed");
}

#[test]
fn sleeping_is_charged_to_the_wait_that_it_was() {
    let folder = Folder::new();
    let (output, processes) = profile(&folder, &[], &compile(&folder), &["sleep"]);
    let [process] = &processes[..] else { panic!("{}", errors(&output)) };
    // On a busy machine a signal may arrive between the end of a wait and its sample. Its sample then has the time, in the same state.
    let slept = |state: u32| -> u64 {
        process.samples().filter(|s| s.state == state).map(|s| s.wall_ns.saturating_sub(s.cpu_ns)).sum()
    };
    assert!(process.samples().any(|s| s.moment == Moment::WaitEnd));
    assert!(slept(EBAR) > 300_000_000, "{}", slept(EBAR));
    assert!(slept(IDLE) > 150_000_000, "{}", slept(IDLE));
    assert!(slept(SERIAL) > 150_000_000, "{}", slept(SERIAL));
    assert!(slept(WORK) > 300_000_000, "{}", slept(WORK));
    // A thread's samples represent its lifetime, plus what was left of a period before it.
    for end in &process.ends {
        let lived_ns = end.ended_ns - process.threads[&end.thread];
        let told: u64 = process.samples().filter(|s| s.thread == end.thread).map(|s| s.wall_ns).sum();
        // A signal may also arrive while the end is being written.
        let left_ns = 20_000_000;
        assert!((lived_ns..=lived_ns + left_ns).contains(&(told + end.wall_ns)), "{told} {} {lived_ns}", end.wall_ns);
    }
}

#[test]
fn a_program_without_openmp_is_sampled_too() {
    let folder = Folder::new();
    let program = folder.compile("plain", "plain", &["-O2"]);
    let (output, processes) = profile(&folder, &[], &program, &["0.3"]);
    let [process] = &processes[..] else { panic!("{}", errors(&output)) };
    assert!(process.samples().count() > 5);
    assert!(process.over);
    assert!(errors(&output).contains("next: ora report"), "{}", errors(&output));
}

#[test]
fn threads_are_sampled_and_behave_as_ever() {
    let folder = Folder::new();
    // A timer depends on the kernel's tick, which on a busy machine may miss all turns of a short thread.
    let (output, processes) = profile(&folder, &["-F", "1000"], &compile(&folder), &["threads"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let [process] = &processes[..] else { panic!("{}", errors(&output)) };
    assert_eq!((process.threads.len(), process.ends.len()), (5, 5));
    // Excludes the thread that sleeps, whichever started first: its start and end may be sampled as well.
    let [heavy, _] = code(&output);
    let leaf = |sample: &Sample| process.stacks.get(&sample.stack).and_then(|(_, stack)| stack.first());
    let computes = |sample: &&Sample| leaf(sample).is_some_and(|leaf| heavy.contains(leaf));
    let of = |thread: u32| process.samples().filter(computes).filter(|s| s.thread == thread).count();
    let sampled = (1..5).filter(|thread| of(*thread) > 0).count();
    assert_eq!(sampled, 3, "{} {} {} {}", of(1), of(2), of(3), of(4));
    // A sleep that lasts until the end of the process has no stack.
    let stacks = process.samples().filter_map(|s| process.stacks.get(&s.stack));
    let cuts = stacks.filter(|(cut, _)| *cut != Cut::Whole).count();
    assert!(process.has_all_stacks() && cuts <= 1, "{cuts}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn no_more_signals_arrive_than_threads_shorter_than_a_period_request() {
    let folder = Folder::new();
    let program = folder.compile("short_threads", "short_threads", &["-O2", "-pthread"]);
    let (output, processes) = profile(&folder, &["-F", "240"], &program, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let [process] = &processes[..] else { panic!("{}", errors(&output)) };
    let sum = |of: fn(&End) -> u64| process.ends.iter().map(of).sum::<u64>();
    let (asked, delivered) = (sum(|end| end.asked), sum(|end| end.delivered));
    // The first period of one thread in eight is over within its life, at least: 50 of 400.
    assert!(asked > 20, "{asked} requested");
    // The initial thread may round.
    assert!(delivered <= asked + 1, "{delivered} arrived of {asked} requested");
    let text = errors(&output);
    assert!(text.contains(&format!("signals: {delivered} arrived of {asked} requested")), "{text}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_forked_child_has_a_folder_of_its_own_unless_children_are_left_out() {
    let folder = Folder::new();
    let program = compile(&folder);
    let (output, processes) = profile(&folder, &[], &program, &["fork"]);
    assert_eq!(output.status.code(), Some(3));
    let [parent, child] = &processes[..] else { panic!("{}", errors(&output)) };
    assert!(parent.over && child.over, "the child has left by _exit");
    assert_eq!(child.info("parent"), parent.info("pid"));
    for (process, threads) in [(parent, 1), (child, 2)] {
        assert_eq!(process.threads.len(), threads);
        assert!(process.samples().count() > 0);
        assert!(process.has_all_stacks() && process.samples().all(|s| process.threads.contains_key(&s.thread)));
        assert!(!process.objects.is_empty());
    }
    let (output, processes) = profile(&folder, &["--no-follow"], &program, &["fork"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(processes.len(), 1);
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_program_that_goes_on_as_another_one_has_two_folders() {
    let folder = Folder::new();
    for _ in 0..3 {
        let (output, processes) = profile(&folder, &["-F", "1000"], &compile(&folder), &["exec"]);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        let [first, second] = &processes[..] else { panic!("{}", errors(&output)) };
        assert_eq!(first.info("pid"), second.info("pid"));
        assert!(!first.over && second.over);
        assert!(first.samples().count() > 0 && second.samples().count() > 0);
    }
}

#[test]
fn what_was_collected_survives_every_end() {
    let folder = Folder::new();
    let program = compile(&folder);
    for (how, code, signal) in
        [("_exit", Some(7), None), ("kill", None, Some(libc::SIGKILL)), ("closer", Some(0), None)]
    {
        let (output, processes) = profile(&folder, &[], &program, &[how]);
        assert_eq!((output.status.code(), output.status.signal()), (code, signal), "{how}");
        let [process] = &processes[..] else { panic!("{}", errors(&output)) };
        assert!(process.samples().count() > 5, "{how}");
        assert!(process.has_all_stacks(), "{how}");
        assert_eq!(process.over, how != "kill", "{how}");
        assert!(process.bytes < 100_000, "{how}: room that isn't used is given back: {}", process.bytes);
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn no_samples_have_a_reason() {
    let folder = Folder::new();
    let program = compile(&folder);
    for (options, how, reason) in [
        (["--signal", "59"], "block", "blocks signal 59"),
        (["--signal", "PROF"], "own", "handler of its own for signal 27"),
    ] {
        let (output, processes) = profile(&folder, &options, &program, &[how]);
        assert_eq!((output.status.code(), text(&output).lines().count()), (Some(0), 1), "{}", errors(&output));
        assert_eq!(processes[0].samples().filter(|s| s.moment == Moment::Tick).count(), 0);
        assert!(errors(&output).contains(reason), "{}", errors(&output));
        assert!(errors(&output).contains("--signal"), "{}", errors(&output));
    }
    let (output, processes) = profile(&folder, &[], &program, &["own"]);
    assert!(processes[0].samples().count() > 5, "{}", errors(&output));
}

#[test]
fn a_signal_that_somebody_sends_does_what_it_does_without_us() {
    let folder = Folder::new();
    let program = compile(&folder);
    let (output, _) = profile(&folder, &["--signal", "PROF"], &program, &["raise"]);
    assert_eq!(output.status.signal(), Some(libc::SIGPROF));
    // The program requests the default action and sees that it is set; sampling continues.
    let (output, processes) = profile(&folder, &["--signal", "PROF"], &program, &["default"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(processes[0].samples().count() > 5, "{}", errors(&output));
}

#[test]
fn a_small_alternate_stack_is_enough() {
    let folder = Folder::new();
    let (output, processes) = profile(&folder, &[], &compile(&folder), &["narrow"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(processes[0].samples().count() > 5);
    let stacks = processes[0].samples().filter_map(|s| processes[0].stacks.get(&s.stack));
    let cut = stacks.filter(|(cut, _)| *cut != Cut::Whole).count();
    assert!(cut <= 1, "{cut}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn code_that_is_loaded_later_is_known() {
    let folder = Folder::new();
    let library = folder.library("called");
    let program = compile(&folder);
    let (output, processes) = profile(&folder, &[], &program, &["load", library.to_str().unwrap()]);
    let [process] = &processes[..] else { panic!("{}", errors(&output)) };
    let object = process.objects.iter().find(|(_, path)| path == library.to_str().unwrap());
    let (range, _) = object.expect("the library is among the objects");
    // A sleep that lasts until the end of the process has no stack.
    let stacks = process.samples().filter_map(|s| process.stacks.get(&s.stack));
    let through: Vec<_> = stacks.filter(|(_, frames)| frames.iter().any(|frame| range.contains(frame))).collect();
    assert!(through.len() > 5);
    let whole = through.iter().filter(|(cut, _)| *cut == Cut::Whole).count();
    assert!(whole + 2 >= through.len(), "{whole} of {}", through.len());
}

#[test]
#[ignore = "slow: --all runs it"]
fn code_whose_file_is_gone_is_known() {
    let folder = Folder::new();
    let library = folder.library("called");
    let program = compile(&folder);
    let (output, processes) = profile(&folder, &[], &program, &["load", library.to_str().unwrap(), "unlink"]);
    let [process] = &processes[..] else { panic!("{}", errors(&output)) };
    let (range, _) = process.objects.iter().find(|(_, path)| path.ends_with("(deleted)")).unwrap();
    let stacks = process.samples().filter_map(|s| process.stacks.get(&s.stack));
    let through: Vec<_> = stacks.filter(|(_, frames)| frames.iter().any(|frame| range.contains(frame))).collect();
    assert!(through.len() > 5);
    let whole = through.iter().filter(|(cut, _)| *cut == Cut::Whole).count();
    assert!(whole + 2 >= through.len(), "{whole} of {}", through.len());
}

#[test]
#[ignore = "slow: --all runs it"]
fn many_regions_cost_no_room() {
    let folder = Folder::new();
    let (output, processes) = profile(&folder, &[], &compile(&folder), &["regions"]);
    let [process] = &processes[..] else { panic!("{}", errors(&output)) };
    assert!(process.regions.keys().max().unwrap() > &10_000, "{:?}", process.regions.keys().max());
    assert!(process.regions.len() <= process.samples().count());
    assert!(process.bytes < 100_000, "{}", process.bytes);
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_region_that_is_sampled_before_its_fork_is_told_is_known() {
    let folder = Folder::new();
    let (output, processes) = profile(&folder, &["-F", "5000"], &compile(&folder), &["regions"]);
    let [process] = &processes[..] else { panic!("{}", errors(&output)) };
    let within: Vec<_> = process.samples().filter(|sample| sample.region != 0).collect();
    assert!(within.len() > 10, "{}", within.len());
    let unknown = within.iter().filter(|sample| !process.regions.contains_key(&sample.region)).count();
    assert_eq!(unknown, 0, "of {}", within.len());
}

#[test]
#[ignore = "slow: --all runs it"]
fn regions_are_written_with_those_around_them() {
    let folder = Folder::new();
    let (output, processes) = profile(&folder, &[], &compile(&folder), &["nested"]);
    let [process] = &processes[..] else { panic!("{}", errors(&output)) };
    let inner: Vec<_> = process.regions.values().filter(|region| region.parent != 0).collect();
    assert_eq!(inner.len(), 2);
    for region in inner {
        let outer = &process.regions[&region.parent];
        assert_eq!(outer.parent, 0);
        assert!(process.stacks.contains_key(&outer.stack) && process.stacks.contains_key(&region.stack));
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_profile_of_many_pieces_is_whole() {
    let folder = Folder::new();
    let (output, processes) = profile(&folder, &["-F", "500"], &compile(&folder), &["deeps"]);
    let [process] = &processes[..] else { panic!("{}", errors(&output)) };
    assert!(process.bytes > 1 << 20, "{}", process.bytes);
    assert!(process.has_all_stacks());
    assert_eq!(process.lost(), 0);
    assert!(process.stacks.values().any(|(_, frames)| frames.len() > 700));
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_disk_that_is_full_is_told_and_the_program_goes_on() {
    let folder = Folder::new();
    let program = compile(&folder);
    let limited = |blocks: u32, words: &str| {
        let to = folder.file("limited");
        let _ = fs::remove_dir_all(&to);
        let ora = crate::harness::ORA;
        let (to_name, program) = (to.display(), program.display());
        let line = format!("ulimit -f {blocks}; exec {ora} profile -o {to_name} -F 500 -- {program} {words}");
        let output = run(Command::new("bash").args(["-c", &line]));
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        (errors(&output), seen(&to))
    };
    // Not enough for the first piece of 1 MiB.
    let (said, processes) = limited(512, "split 0.1");
    assert!(processes.is_empty() && said.contains("could not be created"), "{said}");
    // Enough for that piece only.
    let (said, processes) = limited(1536, "deeps");
    assert!(said.contains("could not grow") && said.contains("found no room"), "{said}");
    let [process] = &processes[..] else { panic!("{said}") };
    assert!(process.lost() > 0 && process.over && process.samples().count() > 50);
}

#[test]
fn a_folder_with_a_profile_is_not_mixed_with_another_one() {
    let folder = Folder::new();
    let program = folder.compile("plain", "plain", &["-O2"]);
    let (output, _) = profile(&folder, &[], &program, &["0"]);
    assert!(output.status.success(), "{}", errors(&output));
    let again = run(ora(&["profile", "-o"]).arg(folder.file("profile")).arg("--").arg(&program).arg("0"));
    assert_eq!(again.status.code(), Some(125));
    assert!(errors(&again).contains("has a profile already"), "{}", errors(&again));
    let here = folder.file("here");
    fs::create_dir(&here).unwrap();
    for name in ["ora-profile", "ora-profile.2", "ora-profile.3"] {
        let output = run(ora(&["profile"]).current_dir(&here).arg("--").arg(&program).arg("0"));
        assert!(errors(&output).contains(&format!("ora report {name}\n")), "{}", errors(&output));
        assert_eq!(seen(&here.join(name)).len(), 1);
    }
}
