//! Memory and descriptors that are created in the process before the new thread owns them. If anything fails, they
//! are removed.

use std::io;

use crate::remote_call::Caller;

/// Memory and descriptors that have been created so far.
#[derive(Debug, Default)]
pub(crate) struct Leftovers {
    /// Address and size of a mapping.
    mapping: Option<(u64, u64)>,
    descriptors: Vec<i32>,
}

impl Leftovers {
    /// Maps memory that can be read and written, and returns its address.
    ///
    /// # Errors
    /// If the process may not have it.
    pub(crate) fn map(&mut self, caller: &mut Caller, bytes: u64) -> io::Result<u64> {
        let access = (libc::PROT_READ | libc::PROT_WRITE).unsigned_abs().into();
        let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS).unsigned_abs().into();
        let mapping = caller.system_call(libc::SYS_mmap, [0, bytes, access, flags, u64::MAX, 0])?;
        self.mapping = Some((mapping, bytes));
        Ok(mapping)
    }

    /// Creates a memory file with this name, and returns its descriptor. `text`: address for the name.
    ///
    /// # Errors
    /// As [`Self::map`].
    pub(crate) fn memory_file(&mut self, caller: &mut Caller, text: u64, name: &str) -> io::Result<i32> {
        caller.write_text(text, name.as_bytes())?;
        let flags = libc::MFD_CLOEXEC.into();
        let number = caller.system_call(libc::SYS_memfd_create, [text, flags, 0, 0, 0, 0])?;
        let number = i32::try_from(number).map_err(io::Error::other)?;
        self.descriptors.push(number);
        Ok(number)
    }

    /// Creates a pipe, and returns the descriptors of its ends, reader and writer. `text`: address for them.
    ///
    /// # Errors
    /// As [`Self::map`].
    pub(crate) fn pipe(&mut self, caller: &mut Caller, text: u64) -> io::Result<[i32; 2]> {
        let flags = libc::O_CLOEXEC.unsigned_abs().into();
        caller.system_call(libc::SYS_pipe2, [text, flags, 0, 0, 0, 0])?;
        let mut bytes = [0; 8];
        caller.memory().read(text, &mut bytes)?;
        // Other threads of the process may have changed them: they are checked where they are used.
        let word = u64::from_ne_bytes(bytes);
        #[allow(clippy::cast_possible_truncation, reason = "the two halves")]
        let ends = [word as i32, (word >> 32) as i32];
        self.descriptors.extend(ends);
        Ok(ends)
    }

    /// Closes one of the descriptors.
    ///
    /// # Errors
    /// If the thread is gone.
    pub(crate) fn close(&mut self, caller: &mut Caller, number: i32) -> io::Result<()> {
        self.descriptors.retain(|known| *known != number);
        caller.system_call(libc::SYS_close, [number.cast_unsigned().into(), 0, 0, 0, 0, 0]).map(drop)
    }

    /// Removes everything, as far as possible.
    pub(crate) fn take_back(self, caller: &mut Caller) {
        for number in self.descriptors {
            let _ = caller.system_call(libc::SYS_close, [number.cast_unsigned().into(), 0, 0, 0, 0, 0]);
        }
        if let Some((start, bytes)) = self.mapping {
            let _ = caller.system_call(libc::SYS_munmap, [start, bytes, 0, 0, 0, 0]);
        }
    }
}
