//! Moments at which a thread may be used to create another one: it holds no lock that this takes. Those are locks of the dynamic
//! linker, the allocator and the C library, which are all held only within their functions; so the functions on its stack
//! decide.

use crate::objects::Object;
use crate::unwind::{Frame, Stack};

/// The functions on a thread's stack.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// The thread's stack.
    pub stack: &'a Stack,
    /// The loaded objects.
    pub objects: &'a [Object],
    /// True if the thread was in a system call that [`is_without_locks`].
    pub in_system_call: bool,
}

/// Functions that take a lock, or whose own state a new thread needs. `operator new` and others that call these are covered by
/// them.
const UNSAFE: [&str; 44] = [
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "free",
    "cfree",
    "aligned_alloc",
    "memalign",
    "posix_memalign",
    "valloc",
    "pvalloc",
    "malloc_trim",
    "mallopt",
    "mallinfo",
    "mallinfo2",
    "malloc_info",
    "malloc_stats",
    "malloc_usable_size",
    "pthread_create",
    "pthread_exit",
    "pthread_join",
    "pthread_tryjoin_np",
    "pthread_timedjoin_np",
    "pthread_detach",
    "pthread_getattr_np",
    "pthread_getattr_default_np",
    "pthread_setattr_default_np",
    "pthread_attr_setaffinity_np",
    "thrd_create",
    "fork",
    "_Fork",
    "vfork",
    "posix_spawn",
    "posix_spawnp",
    "system",
    "popen",
    "dlopen",
    "dlclose",
    "dlsym",
    "dlvsym",
    "dlerror",
    "dladdr",
    "dl_iterate_phdr",
    "exit",
];

/// Functions of the C library that a thread may be in without being in a system call.
const PLAIN: [&str; 26] = [
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "strlen",
    "strcmp",
    "syscall",
    "sched_yield",
    "usleep",
    "nanosleep",
    "clock_nanosleep",
    "sleep",
    "poll",
    "select",
    "pselect",
    "ppoll",
    "epoll_wait",
    "epoll_pwait",
    "read",
    "write",
    "clock_gettime",
    "gettimeofday",
    "time",
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "sem_wait",
];

/// Number of frames at the start of a thread that belong to the C library and may lack a name.
const BEGIN: usize = 2;

impl Moment<'_> {
    /// The reason why the moment is not safe; `None` if it is.
    pub fn obstacle(&self) -> Option<String> {
        let Some(innermost) = self.stack.frames.first() else { return Some("without a stack".to_owned()) };
        for frame in &self.stack.frames {
            let object = frame.object.and_then(|object| self.objects.get(object));
            if object.is_some_and(Object::is_linker) {
                return Some("in the dynamic linker".to_owned());
            }
            if let Some(name) = frame.name.as_deref().filter(|name| UNSAFE.contains(&plain(name))) {
                return Some(format!("in {}", plain(name)));
            }
        }
        let in_library =
            |frame: &Frame| frame.object.and_then(|object| self.objects.get(object)).is_some_and(Object::is_c_library);
        let named = innermost.name.as_deref().is_some_and(|name| PLAIN.contains(&plain(name)));
        if in_library(innermost) && !named && !self.in_system_call && self.stack.frames.len() > BEGIN {
            return Some("in the C library".to_owned());
        }
        if in_library(innermost) && self.stack.frames.len() <= BEGIN {
            return Some("at its start or its end".to_owned());
        }
        if let Some(bound) = self.stack.exceeds {
            return Some(bound.to_owned());
        }
        if !self.stack.complete {
            return Some("on a stack whose begin can't be found".to_owned());
        }
        None
    }
}

/// True for a system call that the C library makes without holding one of these locks. It maps, unmaps and protects stacks and arenas
/// under a lock.
pub fn is_without_locks(call: i64) -> bool {
    let memory =
        [libc::SYS_mmap, libc::SYS_munmap, libc::SYS_mremap, libc::SYS_mprotect, libc::SYS_madvise, libc::SYS_brk];
    !memory.contains(&call)
}

/// A function's name without the prefixes of library-internal names.
pub fn plain(name: &str) -> &str {
    let name = name.trim_start_matches('_');
    let name = name.strip_prefix("libc_").or_else(|| name.strip_prefix("GI_")).unwrap_or(name);
    // `_Fork` also starts with an underscore.
    if name == "Fork" { "fork" } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn obstacle(names: &[(usize, &str)], in_system_call: bool) -> Option<String> {
        let object = |path: &str| Object {
            path: PathBuf::from(path),
            deleted: false,
            device: (8, 1),
            inode: 1,
            start: 0,
            end: 1,
        };
        let objects = ["/p/program", "/l/libc.so.6", "/l/ld-linux-x86-64.so.2", "/l/libgomp.so.1"].map(object);
        let frame = |(object, name): &(usize, &str)| Frame {
            object: Some(*object),
            name: Some((*name).to_owned()).filter(|name| !name.is_empty()),
            ..Frame::default()
        };
        let stack = Stack { frames: names.iter().map(frame).collect(), complete: true, exceeds: None };
        Moment { stack: &stack, objects: &objects, in_system_call }.obstacle()
    }

    #[test]
    fn the_programs_own_code_and_the_runtimes_are_safe() {
        assert_eq!(obstacle(&[(0, "main"), (1, ""), (1, "__libc_start_main")], false), None);
        assert_eq!(obstacle(&[(3, "GOMP_barrier"), (0, ""), (3, ""), (1, ""), (1, "clone")], true), None);
        assert_eq!(obstacle(&[(1, ""), (1, "clock_nanosleep"), (0, "main"), (1, ""), (1, "")], true), None);
    }

    #[test]
    fn a_thread_that_gives_stacks_back_may_hold_a_lock() {
        let stack = [(1, "munmap"), (1, ""), (0, "main"), (1, ""), (1, "")];
        assert_eq!(obstacle(&stack, is_without_locks(libc::SYS_munmap)).as_deref(), Some("in the C library"));
        assert_eq!(obstacle(&stack, is_without_locks(libc::SYS_futex)), None);
    }

    #[test]
    fn locks_of_allocator_linker_and_library_are_recognised() {
        for (names, in_call, says) in [
            (&[(1, ""), (1, "malloc"), (0, "main"), (1, ""), (1, "")][..], false, "in malloc"),
            (&[(1, ""), (1, "__libc_malloc"), (0, "main"), (1, ""), (1, "")], true, "in malloc"),
            (&[(0, "constructor"), (2, ""), (1, ""), (1, ""), (1, "")], false, "in the dynamic linker"),
            (&[(1, ""), (0, "main"), (1, ""), (1, "")], false, "in the C library"),
            (&[(1, "pthread_create"), (3, "GOMP_parallel"), (0, "main")], true, "in pthread_create"),
            (&[(1, ""), (1, "clone")], true, "at its start or its end"),
            (&[(1, "_Fork"), (1, "fork"), (0, "main")], true, "in fork"),
            (&[], false, "without a stack"),
        ] {
            assert_eq!(obstacle(names, in_call).as_deref(), Some(says), "{names:?}");
        }
    }
}
