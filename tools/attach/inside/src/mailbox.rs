//! Mailbox: the words through which `ora` and the thread that it brings into a process communicate at first.

use std::sync::atomic::{AtomicI32, AtomicU32};

/// Words that `ora` writes into the process before the thread starts, and in which the thread answers. The first ones, up to
/// `stage`, are read by machine code (`attach_outside::arch`).
#[repr(C)]
#[derive(Debug, Default)]
pub struct Mailbox {
    /// Address of `pthread_detach`.
    pub detach: u64,
    /// Address of `dlopen`.
    pub dlopen: u64,
    /// Address of `dlsym`.
    pub dlsym: u64,
    /// Address of `dlerror`.
    pub dlerror: u64,
    /// Address of the name of `libora.so`.
    pub library: u64,
    /// Address of the name of the watching library.
    pub watcher: u64,
    /// Address of the name of its entry point.
    pub entry: u64,
    /// The thread, a `pthread_t`.
    pub thread: u64,
    /// Address of the dynamic linker's message, or 0.
    pub error: u64,
    /// One of [`mail`].
    pub stage: AtomicU32,
    /// The collector: one of [`kind`].
    pub kind: u32,
    /// Number of items after the fixed part of the shared memory.
    pub items: u64,
    /// The memory that `ora` has mapped: the thread unmaps it.
    pub mapping: u64,
    /// Its size in bytes.
    pub mapping_bytes: u64,
    /// Descriptor of the shared memory.
    pub area: AtomicI32,
    /// Descriptor of the pipe's end that the thread reads. Only `ora` has the other end: when `ora` ends in any way,
    /// it is closed.
    pub reader: i32,
    /// An error number of the system.
    pub errno: AtomicI32,
    /// Descriptor of the memory file from which `libora.so` was loaded, to be closed; -1 if there is none.
    pub library_file: i32,
    /// Descriptor of the memory file from which the watching library was loaded, to be closed; -1 if there is none.
    pub watcher_file: i32,
    /// The result of `pthread_create`, plus one; 0 if it has not returned.
    pub created: AtomicU32,
    /// Address of the settings ([`crate::settings`]), and their length in bytes.
    pub settings: [u64; 2],
    /// Address of an instruction that enters the kernel, followed by a return.
    pub call_and_return: u64,
    /// Not 0 once `ora` has restored the thread that created this one: it no longer runs anything in the mapping,
    /// which may be unmapped.
    pub restored: AtomicU32,
    /// Descriptor of a file in memory with the calls that gcc's code makes for constructs, for `libora.so`; -1: none.
    pub call_sites: i32,
}

/// Values of [`Mailbox::stage`].
pub mod mail {
    /// The thread runs.
    pub const BEGUN: u32 = 1;
    /// The dynamic linker refuses a library: its message is in `error`.
    pub const NOT_LOADED: u32 = 2;
    /// The descriptor of the shared memory is there.
    pub const READY: u32 = 3;
    /// The system refuses memory or descriptors: see `errno`.
    pub const REFUSED: u32 = 4;
    /// A library of this kind already watches this process.
    pub const BUSY: u32 = 5;
}

/// Values of [`Mailbox::kind`].
pub mod kind {
    /// The collector of `ora stat`.
    pub const STAT: u32 = 1;
    /// The collector of `ora tasks`.
    pub const TASKS: u32 = 2;
    /// The collector of `ora profile`.
    pub const PROFILE: u32 = 3;
    /// The recorder of `ora trace`.
    pub const TRACE: u32 = 4;
}

/// Byte that lets the session start.
pub const GO: u8 = b'g';

const _: () = {
    use std::mem::offset_of;
    assert!(offset_of!(Mailbox, stage) == 72 && offset_of!(Mailbox, created) == 124);
    assert!(offset_of!(Mailbox, mapping) == 88 && offset_of!(Mailbox, mapping_bytes) == 96);
    assert!(offset_of!(Mailbox, reader) == 108);
    assert!(offset_of!(Mailbox, library_file) == 116 && offset_of!(Mailbox, watcher_file) == 120);
    assert!(offset_of!(Mailbox, call_and_return) == 144 && offset_of!(Mailbox, restored) == 152);
    assert!(offset_of!(Mailbox, call_sites) == 156);
};
