//! Memory of another process, read without stopping it. Unsafe: system calls.
#![allow(unsafe_code)]

use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::process::Process;

/// The thread through which a process was read last whose first thread has ended: the process's number, then the thread's.
static OTHER_THREAD: AtomicU64 = AtomicU64::new(0);

/// The memory of a process.
#[derive(Clone, Copy, Debug)]
pub struct Memory(pub Process);

impl Memory {
    /// Reads `into.len()` bytes, all or none.
    ///
    /// # Errors
    /// If the memory isn't mapped, or may not be read.
    pub fn read(self, address: u64, into: &mut [u8]) -> io::Result<()> {
        let got = self.read_some(address, into)?;
        if got == into.len() { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Reads as many bytes as are mapped there. Returns their number.
    ///
    /// # Errors
    /// If the memory may not be read, or nothing is mapped.
    pub fn read_some(self, address: u64, into: &mut [u8]) -> io::Result<usize> {
        match self.read_by(self.0.pid, address, into) {
            // The process is gone, or only its first thread is.
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {
                self.read_by_another(address, into).unwrap_or(Err(error))
            }
            read => read,
        }
    }

    /// Reads through a thread other than the first. `None` if there is none.
    fn read_by_another(self, address: u64, into: &mut [u8]) -> Option<io::Result<usize>> {
        let Process { pid } = self.0;
        let known = OTHER_THREAD.load(Relaxed);
        let known = u32::try_from(known & u64::from(u32::MAX)).ok().filter(|_| known >> 32 == u64::from(pid));
        for tid in known.into_iter().chain(std::iter::once_with(|| self.0.living_thread())) {
            let read = if tid == pid { return None } else { self.read_by(tid, address, into) };
            // The thread is the process's own after the read: its number was not that of another process.
            let is_gone = read.as_ref().is_err_and(|error| error.raw_os_error() == Some(libc::ESRCH));
            if !is_gone && self.0.thread_status(tid).is_ok_and(|status| status.group == pid) {
                OTHER_THREAD.store(u64::from(pid) << 32 | u64::from(tid), Relaxed);
                return Some(read);
            }
        }
        None
    }

    fn read_by(self, tid: u32, address: u64, into: &mut [u8]) -> io::Result<usize> {
        let local = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
        let start = usize::try_from(address).map_err(|_| io::ErrorKind::InvalidInput)?;
        let remote = libc::iovec { iov_base: std::ptr::without_provenance_mut(start), iov_len: into.len() };
        // SAFETY: the kernel writes at most `into.len()` bytes, to `into` (process_vm_readv(2)).
        let got = unsafe { libc::process_vm_readv(tid.cast_signed(), &raw const local, 1, &raw const remote, 1, 0) };
        usize::try_from(got).map_err(|_| io::Error::last_os_error())
    }

    /// Reads `length` bytes.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn bytes(self, address: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.read(address, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads an 8-byte number.
    pub fn word(self, address: u64) -> Option<u64> {
        let mut bytes = [0; 8];
        self.read(address, &mut bytes).ok()?;
        Some(u64::from_ne_bytes(bytes))
    }

    /// Reads a 4-byte number.
    pub fn half(self, address: u64) -> Option<u32> {
        let mut bytes = [0; 4];
        self.read(address, &mut bytes).ok()?;
        Some(u32::from_ne_bytes(bytes))
    }

    /// Reads a C string of at most 1,000 bytes.
    pub fn text(self, address: u64) -> Option<String> {
        let mut bytes = vec![0; 1000];
        let got = self.read_some(address, &mut bytes).ok()?;
        let text = bytes.get(..got)?.split(|byte| *byte == 0).next()?;
        Some(String::from_utf8_lossy(text).into_owned())
    }
}

/// True if two processes share one memory, such as a child of vfork(2) and its parent. False if the kernel doesn't
/// report it (kcmp(2)).
pub(crate) fn is_one(process: u32, other: u32) -> bool {
    /// `KCMP_VM` (linux/kcmp.h)
    const MEMORY: libc::c_int = 1;
    // SAFETY: takes numbers; touches no memory of this process (kcmp(2)).
    other != 0 && unsafe { libc::syscall(libc::SYS_kcmp, process, other, MEMORY, 0, 0) } == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_of_fork_has_memory_of_its_own() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let own = std::process::id();
        let found = (is_one(own, own), is_one(child.id(), own), is_one(own, 0));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(found, (true, false, false));
    }

    #[test]
    fn what_is_mapped_is_read() {
        let own = Memory(Process { pid: std::process::id() });
        let words = std::hint::black_box(Box::new([7_u64, 8]));
        let address = words.as_ptr().addr() as u64;
        assert_eq!((own.word(address + 8), own.word(8)), (Some(8), None));
        assert_eq!(own.text(c"text".as_ptr().addr() as u64).as_deref(), Some("text"));
    }
}
