//! Calls on threads of programs that check afterwards that nothing was disturbed.

use super::*;
use crate::arch::{CALLER, CAN_CALL};
use crate::deadline::ATTACHING;
use crate::memory::Memory;
use crate::objects;
use crate::unwind::Stacks;
use std::io::Read;
use std::process::{Child, Command, Stdio};

/// Adds up until SIGTERM, or sleeps in between; the exit code shows whether all sums were right.
const PROGRAM: &str = "#include <signal.h>\n#include <time.h>\n#include <unistd.h>\nstatic volatile int over;\n\
    static void end(int signal) { over = signal; }\n\
    int main(int count, char **words) {\n\
    struct timespec moment = {0, 3000000}; (void)words; signal(SIGTERM, end);\n\
    write(1, \"\\n\", 1);\n\
    while (!over) { double sum = 0; for (int i = 0; i < 100000; i++) sum += i * 0.5;\n\
    if (sum != 2499975000.0) return 3;\n\
    if (count > 1 && nanosleep(&moment, 0) && !over) return 4; }\n\
    return 7; }\n";

/// Sleeps once; the exit code shows whether it slept for long enough.
const SLEEPER: &str = "#include <time.h>\n#include <unistd.h>\n\
    int main(void) {\n\
    struct timespec span = {3, 0}, begin, end; clock_gettime(CLOCK_MONOTONIC, &begin);\n\
    write(1, \"\\n\", 1);\n\
    if (nanosleep(&span, 0)) return 4;\n\
    clock_gettime(CLOCK_MONOTONIC, &end);\n\
    end.tv_sec -= begin.tv_sec + (end.tv_nsec < begin.tv_nsec);\n\
    return end.tv_sec < span.tv_sec ? 5 : 7; }\n";

/// Starts a program, and waits until it is in `main`.
fn start(folder: &std::path::Path, text: &str, arguments: &[&str]) -> Child {
    let (source, program) = (folder.join("program.c"), folder.join("program"));
    std::fs::write(&source, text).unwrap();
    let built = Command::new("gcc").args(["-O1", "-w", "-o"]).arg(&program).arg(&source).status().unwrap();
    assert!(built.success());
    let mut child = Command::new(program).args(arguments).stdout(Stdio::piped()).spawn().unwrap();
    child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    child
}

/// A caller on the process's only thread, and the address of a mapping with the code in it.
fn caller(pid: u32) -> (Caller, Place, u64) {
    let process = Process { pid };
    let mappings = process.mappings().unwrap();
    let mut stacks = Stacks::new(Memory(process), objects::of(&mappings));
    let library = stacks.objects.iter().position(|object| object.is("libc.so")).unwrap();
    let function = stacks.function(library, "getpid").unwrap();
    let instructions = Instructions::find(process, &mut stacks).unwrap();
    let execution = Arc::new(Execution::of(process).unwrap());
    let tracee = Tracee::stop_within(pid, MAX_WAIT, |tid| execution.has_thread(tid)).unwrap().unwrap();
    let before = tracee.registers().unwrap();
    let mut caller = Caller::new(tracee, execution, process, before, instructions, Deadline::after(ATTACHING)).unwrap();
    caller.prepare(&mappings).unwrap().unwrap();
    let start = caller.system_call(libc::SYS_mmap, [0, 1 << 17, 7, 0x22, u64::MAX, 0]).unwrap();
    caller.memory().write(start, CALLER).unwrap();
    let place = Place { code: start, stack: start + 0xf000, mailbox: start + 0x1000, frame: start + 0x1_0000 };
    (caller, place, function)
}

fn ends_well(mut child: Child) {
    std::thread::sleep(Duration::from_millis(100));
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(7));
}

#[test]
fn a_thread_that_was_used_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&[][..], &["asleep"]] {
        let child = start(folder.path(), PROGRAM, arguments);
        for _ in 0..if CAN_CALL { 20 } else { 0 } {
            let (mut caller, place, function) = caller(child.id());
            assert_eq!(caller.call(place, function, [0; 4]).unwrap().unsigned_abs(), child.id());
            caller.release().unwrap();
            std::thread::sleep(Duration::from_millis(1));
        }
        ends_well(child);
    }
}

#[test]
fn a_sleep_lasts_as_long_as_the_program_has_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = start(folder.path(), SLEEPER, &[]);
    if CAN_CALL {
        let (mut caller, place, function) = caller(child.id());
        assert_eq!(caller.call(place, function, [0; 4]).unwrap().unsigned_abs(), child.id());
        caller.release().unwrap();
    }
    assert_eq!(child.wait().unwrap().code(), Some(7));
}

/// As at the end of a tracer: the thread continues, and is not restored.
fn die(mut caller: Caller) {
    caller.over = true;
}

#[test]
fn a_thread_whose_tracer_has_gone_restores_itself() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&[][..], &["asleep"]] {
        let child = start(folder.path(), PROGRAM, arguments);
        if CAN_CALL {
            let (mut caller, place, function) = caller(child.id());
            caller.call(place, function, [0; 4]).unwrap();
            caller.tracee.reach_event().unwrap();
            die(caller);
            std::thread::sleep(Duration::from_millis(1500));
        }
        ends_well(child);
    }
}

/// As under a filter of system calls whose supervisor never answers (seccomp_unotify(2)).
#[test]
fn a_thread_whose_system_call_does_not_end_is_restored() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&[][..], &["asleep"]] {
        let child = start(folder.path(), PROGRAM, arguments);
        if CAN_CALL {
            let (mut caller, ..) = caller(child.id());
            if arguments.is_empty() {
                caller.max_wait = Duration::from_millis(100);
            } else {
                caller.allow(Deadline::after(Duration::from_millis(100)));
            }
            // Waits for no descriptors, forever. The kernel repeats this call after a stop.
            let error = caller.system_call(libc::SYS_ppoll, [0; 6]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            caller.system_call(libc::SYS_getpid, [0; 6]).unwrap_err();
            caller.release().unwrap();
        }
        ends_well(child);
    }
}

/// The moments between the steps of a system call at which a tracer may end: see [`Caller::give`] and
/// [`Caller::restore`].
#[test]
fn a_thread_whose_tracer_goes_within_a_system_call_restores_itself() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&[][..], &["asleep"]] {
        let child = start(folder.path(), PROGRAM, arguments);
        for moment in 0..if CAN_CALL { 4 } else { 0 } {
            let (mut caller, ..) = caller(child.id());
            let Instructions { call, restore } = caller.instructions;
            let frame = caller.frame.unwrap();
            let with = caller.before.with_system_call(call, restore, frame, libc::SYS_getpid, [0; 6]);
            match moment {
                0 => with.write_general(child.id()).unwrap(),
                1 => caller.give(&with).unwrap(),
                2 => {
                    caller.give(&with).unwrap();
                    caller.reach_system_call().unwrap();
                }
                _ => {
                    caller.system_call(libc::SYS_getpid, [0; 6]).unwrap();
                    caller.tracee.reach_event().unwrap();
                    caller.tracee.block(caller.blocked).unwrap();
                }
            }
            die(caller);
            std::thread::sleep(Duration::from_millis(20));
        }
        ends_well(child);
    }
}
