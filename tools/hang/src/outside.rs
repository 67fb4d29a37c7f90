//! Waits outside OpenMP: by the system call, and the function of the C library.

use attach_outside::memory::Memory;
use attach_outside::process::InKernel;
use attach_outside::safe_moment::plain;

use crate::model::{Frame, Outside, Part, Resource, ResourceKind, Wait, WokenBy};

/// System calls in which threads sleep, with their names.
const CALLS: [(i64, &str); 24] = [
    (libc::SYS_read, "read"),
    (libc::SYS_write, "write"),
    (libc::SYS_readv, "readv"),
    (libc::SYS_pread64, "pread"),
    (libc::SYS_futex, "futex"),
    (libc::SYS_nanosleep, "nanosleep"),
    (libc::SYS_clock_nanosleep, "clock_nanosleep"),
    (libc::SYS_ppoll, "ppoll"),
    (libc::SYS_pselect6, "pselect"),
    (libc::SYS_epoll_pwait, "epoll_wait"),
    (libc::SYS_wait4, "wait"),
    (libc::SYS_waitid, "waitid"),
    (libc::SYS_accept, "accept"),
    (libc::SYS_accept4, "accept4"),
    (libc::SYS_connect, "connect"),
    (libc::SYS_recvfrom, "recv"),
    (libc::SYS_recvmsg, "recvmsg"),
    (libc::SYS_sendto, "send"),
    (libc::SYS_sendmsg, "sendmsg"),
    (libc::SYS_rt_sigtimedwait, "sigwait"),
    (libc::SYS_rt_sigsuspend, "sigsuspend"),
    (libc::SYS_flock, "flock"),
    (libc::SYS_fsync, "fsync"),
    (libc::SYS_sched_yield, "sched_yield"),
];

/// Functions of the C library by which threads wait for each other.
const FUNCTIONS: [&str; 9] = [
    "pthread_mutex_lock",
    "pthread_cond_wait",
    "pthread_join",
    "pthread_barrier_wait",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "sem_wait",
    "pthread_spin_lock",
    "thrd_join",
];

/// The wait of a thread that is asleep outside of a runtime. `called`: the function that the program has called.
pub(crate) fn wait(memory: Memory, kernel: InKernel, frames: &[Frame], called: Option<&str>) -> Wait {
    let InKernel::Blocked { call, arguments, .. } = kernel else { return Wait::Nothing };
    let number = call.and_then(|call| i64::try_from(call).ok());
    let function = name(number, frames, called);
    if number != Some(libc::SYS_futex) {
        return Wait::Outside(Outside { function, by: WokenBy::World });
    }
    let [address, operation, value, timeout, ..] = arguments;
    match plain(&function) {
        "pthread_mutex_lock" => {
            // The owner's number is the third word of a mutex (glibc, struct __pthread_mutex_s).
            let owner = memory.half(address.wrapping_add(8)).filter(|owner| *owner != 0);
            Wait::Mutex(Resource { kind: ResourceKind::Mutex, address: Some(address), name: None, owner })
        }
        "pthread_rwlock_rdlock" | "pthread_rwlock_wrlock" if writer(memory, address).is_some() => {
            let (kind, owner) = (ResourceKind::ReadWriteLock, writer(memory, address));
            Wait::Mutex(Resource { kind, address: Some(read_write_lock(address)), name: None, owner })
        }
        "pthread_join" | "thrd_join" => {
            // The word is the number of the thread in glibc 2.41, which the kernel clears at its end.
            let thread = u32::try_from(value).unwrap_or_default();
            Wait::Outside(Outside { function, by: WokenBy::EndOf(thread) })
        }
        _ => {
            let by = if timeout == 0 && is_private(operation) { WokenBy::Threads } else { WokenBy::World };
            Wait::Outside(Outside { function, by })
        }
    }
}

/// Address of the read-write lock that a thread waits for: the word that it sleeps on is the third one, which has the phase, or the fourth,
/// where writers wait for each other (glibc, struct __pthread_rwlock_arch_t).
fn read_write_lock(word: u64) -> u64 {
    word.wrapping_sub(if word.is_multiple_of(8) { 8 } else { 12 })
}

/// The writer that holds it. `None` if readers do.
fn writer(memory: Memory, word: u64) -> Option<u32> {
    memory.half(read_write_lock(word).wrapping_add(24)).filter(|writer| *writer != 0)
}

/// True for a wait in a function of the C library. libgomp calls the kernel itself, or by `syscall`: a function of the program has jumped
/// there at its end.
pub(crate) fn is_in_library(frames: &[Frame]) -> bool {
    frames.first().is_some_and(|first| first.part == Part::System && first.export.as_deref() != Some("syscall"))
}

/// Address of the word that a thread sleeps on.
pub(crate) fn futex(kernel: InKernel) -> Option<u64> {
    match kernel {
        InKernel::Blocked { call: Some(call), arguments: [address, ..], .. } => {
            (i64::try_from(call) == Ok(libc::SYS_futex)).then_some(address)
        }
        _ => None,
    }
}

/// True for a futex that no other process can use.
fn is_private(operation: u64) -> bool {
    operation & libc::FUTEX_PRIVATE_FLAG.unsigned_abs() as u64 != 0
}

/// The most specific name: a function by which threads wait for each other, the function that the program has called,
/// the system call.
fn name(number: Option<i64>, frames: &[Frame], called: Option<&str>) -> String {
    let in_library = frames.iter().take_while(|frame| frame.part == Part::System);
    let exported = in_library.filter_map(|frame| frame.export.as_deref()).chain(called);
    let known = exported.clone().map(plain).find(|name| FUNCTIONS.contains(name));
    let call = || CALLS.iter().find(|(known, _)| Some(*known) == number).map(|(_, name)| *name);
    let name = known.or_else(|| called.map(plain)).or_else(call).or_else(|| exported.last().map(plain));
    name.map_or_else(|| number.map_or("the kernel".to_owned(), |number| format!("system call {number}")), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use attach_outside::process::Process;

    fn waits(call: i64, arguments: [u64; 6], called: &str) -> Wait {
        let memory = Memory(Process { pid: std::process::id() });
        let kernel = InKernel::Blocked { call: u64::try_from(call).ok(), arguments, stack: 0, instruction: 0 };
        wait(memory, kernel, &[], Some(called))
    }

    #[test]
    fn the_world_ends_a_read_and_threads_end_a_private_futex() {
        let outside = |function: &str, by| Wait::Outside(Outside { function: function.to_owned(), by });
        assert_eq!(waits(libc::SYS_read, [0; 6], "fgets"), outside("fgets", WokenBy::World));
        assert_eq!(waits(libc::SYS_futex, [8, 0x80, 0, 0, 0, 0], "sem_wait"), outside("sem_wait", WokenBy::Threads));
        assert_eq!(waits(libc::SYS_futex, [8, 0x80, 0, 1, 0, 0], "sem_wait"), outside("sem_wait", WokenBy::World));
        assert_eq!(
            waits(libc::SYS_futex, [8, 0, 7, 0, 0, 0], "pthread_join"),
            outside("pthread_join", WokenBy::EndOf(7))
        );
    }

    #[test]
    fn a_worker_that_has_jumped_to_a_function_of_the_library_is_in_it() {
        let frame = |part, export: &str| Frame { part, export: Some(export.to_owned()), ..Frame::default() };
        let in_library = |part, export| is_in_library(&[frame(part, export), frame(Part::Runtime, "")]);
        assert!(in_library(Part::System, "wait4"));
        assert!(!in_library(Part::System, "syscall") && !in_library(Part::Runtime, "") && !is_in_library(&[]));
    }

    #[test]
    fn a_mutex_tells_its_owner() {
        let mutex = std::hint::black_box([2_u32, 0, 77, 1]);
        let address = mutex.as_ptr().addr() as u64;
        let Wait::Mutex(resource) = waits(libc::SYS_futex, [address, 0x80, 2, 0, 0, 0], "pthread_mutex_lock") else {
            panic!()
        };
        assert_eq!((resource.owner, resource.address), (Some(77), Some(address)));
    }

    #[test]
    fn a_read_write_lock_tells_its_writer_but_not_its_readers() {
        let waits_for = |writer: u32, word: usize, function: &str| {
            // Like the lock itself, the words are aligned to eight bytes.
            let words = std::hint::black_box([[0_u32, 1], [2, 2], [0, 0], [writer, 0], [0; 2], [0; 2], [0; 2]]);
            let lock = std::hint::black_box(Box::new(words.map(|[low, high]| u64::from(low) | u64::from(high) << 32)));
            let address = lock.as_ptr().addr() as u64;
            let wait = waits(libc::SYS_futex, [address + word as u64, 0x80, 2, 0, 0, 0], function);
            let owned = |it: Resource| (it.kind, it.address.map(|at| at.wrapping_sub(address)), it.owner);
            if let Wait::Mutex(resource) = wait { Some(owned(resource)) } else { None }
        };
        let by_writer = Some((ResourceKind::ReadWriteLock, Some(0), Some(77)));
        for (word, function) in
            [(8, "pthread_rwlock_rdlock"), (8, "pthread_rwlock_wrlock"), (12, "pthread_rwlock_wrlock")]
        {
            assert_eq!(waits_for(77, word, function), by_writer, "{word} {function}");
            assert_eq!(waits_for(0, word, function), None);
        }
    }
}
