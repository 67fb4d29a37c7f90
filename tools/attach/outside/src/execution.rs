//! One execution of a program by one process. `ora` only acts on the execution that it has examined.
//!
//! The number of a process that ends is reused for another one, and execve(2) passes the number on to another program, perhaps with more
//! rights. So numbers are looked up once. Memory is written through a descriptor of `/proc/PID/mem`, which the kernel ties to the memory
//! that the process had when it was opened. A thread is used only if, while it is traced, it belongs to this execution: the number of a
//! traced thread is not reused.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;

use untrusted::descriptor::{OtherProcess, thread_stat};

use crate::process::Process;

/// Fields of `stat` that the kernel chooses when a program is executed: the starts of its code and of its stack (proc(5)), counted from
/// the state.
const CODE_START: usize = 23;
const STACK_START: usize = 25;

/// An execution of a program.
#[derive(Debug)]
pub(crate) struct Execution {
    process: OtherProcess,
    pid: u32,
    memory: File,
    image: Image,
}

/// Addresses that distinguish two executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Image {
    code_start: u64,
    stack_start: u64,
}

impl Execution {
    /// The current execution of a process.
    ///
    /// # Errors
    /// If the process is gone, or may not be inspected; [`ErrorKind::Interrupted`]: it executes another program right now.
    pub(crate) fn of(process: Process) -> io::Result<Self> {
        let Process { pid } = process;
        let process = OtherProcess::open(pid)?;
        let image = Image::of(&process, pid)?;
        let memory = process.own_memory()?;
        // The rights that belong to this program: those that were read first may belong to an earlier one.
        let is_same = OtherProcess::open(pid)?.rights() == process.rights();
        if Image::of(&process, pid)? != image || !is_same {
            return Err(ErrorKind::Interrupted.into());
        }
        Ok(Self { process, pid, memory, image })
    }

    /// The process, for its descriptors.
    pub(crate) fn process(&self) -> &OtherProcess {
        &self.process
    }

    /// True if a thread executes this program. While it is traced, that remains so.
    pub(crate) fn has_thread(&self, tid: u32) -> bool {
        Image::of(&self.process, tid).is_ok_and(|image| image == self.image)
    }

    /// True if the thread with this file `stat` executes this program. The file refers to the thread as long as it is traced.
    pub(crate) fn is_of(&self, stat: &File) -> bool {
        Image::of_file(stat).is_ok_and(|image| image == self.image)
    }

    /// True if the process still executes this program.
    pub(crate) fn goes_on(&self) -> bool {
        self.has_thread(self.pid)
    }

    /// Reads `into.len()` bytes, all or none.
    ///
    /// # Errors
    /// If the memory is gone, or isn't mapped.
    pub(crate) fn read(&self, address: u64, into: &mut [u8]) -> io::Result<()> {
        self.memory.read_exact_at(into, address).map_err(|error| or_gone(error, ErrorKind::UnexpectedEof))
    }

    /// Writes bytes, even where the process itself may not.
    ///
    /// # Errors
    /// If the memory is gone, or isn't mapped.
    pub(crate) fn write(&self, address: u64, bytes: &[u8]) -> io::Result<()> {
        self.memory.write_all_at(bytes, address).map_err(|error| or_gone(error, ErrorKind::WriteZero))
    }
}

/// Without an error, the kernel reads and writes nothing if the memory is gone.
fn or_gone(error: io::Error, nothing: ErrorKind) -> io::Error {
    if error.kind() == nothing { io::Error::from_raw_os_error(libc::ESRCH) } else { error }
}

impl Image {
    fn of(process: &OtherProcess, tid: u32) -> io::Result<Self> {
        Self::of_file(&process.open_thread_stat(tid)?)
    }

    fn of_file(stat: &File) -> io::Result<Self> {
        let stat = thread_stat(stat)?;
        // The name before it is in parentheses, and may contain any character.
        let fields: Vec<&str> =
            stat.rsplit_once(')').map(|(_, fields)| fields.split_whitespace().collect()).unwrap_or_default();
        let number = |at: usize| fields.get(at).and_then(|field| field.parse().ok()).ok_or(ErrorKind::InvalidData);
        Ok(Self { code_start: number(CODE_START)?, stack_start: number(STACK_START)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};

    #[test]
    fn a_program_that_is_executed_afterwards_is_another_execution_and_its_memory_is_not_written() {
        let mut child = Command::new("sh")
            .args(["-c", "echo; read go; exec sh -c 'echo; read go'"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        output.read_exact(&mut [0]).unwrap();
        let process = Process { pid: child.id() };
        let stack = |process: Process| {
            process.mappings().unwrap().into_iter().find(|it| it.path.as_os_str() == "[stack]").unwrap().end - 16
        };
        let execution = Execution::of(process).unwrap();
        let stat = execution.process().open_thread_stat(process.pid).unwrap();
        assert!(execution.goes_on() && execution.is_of(&stat));
        execution.write(stack(process), b"x").unwrap();
        writeln!(input).unwrap();
        output.read_exact(&mut [0]).unwrap();
        assert!(!execution.goes_on() && !execution.is_of(&stat));
        execution.write(stack(process), b"x").unwrap_err();
        Execution::of(process).unwrap().write(stack(process), b"x").unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn threads_of_other_processes_are_none_of_an_execution() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let own = Execution::of(Process { pid: std::process::id() }).unwrap();
        let found = (own.has_thread(system::threads::id()), own.has_thread(child.id()), own.has_thread(u32::MAX >> 1));
        let other = Execution::of(Process { pid: child.id() }).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(found, (true, false, false));
        assert!(!other.goes_on());
        other.write(0x1000, b"x").unwrap_err();
        Execution::of(Process { pid: child.id() }).unwrap_err();
    }
}
