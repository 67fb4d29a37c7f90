//! Keys on a terminal: Ctrl-C ends the program, and `ora` prints the table before it ends in the same way. Unsafe: a terminal is created by
//! system calls.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command};

use crate::harness::{Folder, hear_every_signal, ora};

/// Creates a terminal: returns the user's end, and the path of the other end.
pub(crate) fn terminal() -> (File, String) {
    // SAFETY: a system call without pointers.
    let fd = unsafe { libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC) };
    assert!(fd >= 0);
    // SAFETY: opened above, and owned by nobody else.
    let hand = unsafe { File::from_raw_fd(fd) };
    // SAFETY: a system call on an open terminal.
    assert_eq!(unsafe { libc::unlockpt(fd) }, 0);
    let mut name = [0; 64];
    // SAFETY: the length passed is that of `name`.
    assert_eq!(unsafe { libc::ptsname_r(fd, name.as_mut_ptr(), name.len()) }, 0);
    // SAFETY: the call above wrote a null-terminated string.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) };
    (hand, name.to_str().unwrap().to_owned())
}

/// Sets the size of a terminal.
pub(crate) fn resize(terminal: &File, columns: u16, lines: u16) {
    let size = libc::winsize { ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: `size` has the type that this request reads.
    assert_eq!(unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCSWINSZ, &raw const size) }, 0);
}

/// Starts a command in a session of its own on the terminal, which becomes its stdin and stdout.
pub(crate) fn start_on(terminal: &str, command: &mut Command) -> Child {
    let other_end = OpenOptions::new().read(true).write(true).open(terminal).unwrap();
    let fd = other_end.as_raw_fd();
    let take_terminal = move || {
        // SAFETY: system calls without pointers, allowed between fork and exec.
        let done = unsafe { libc::setsid() };
        // SAFETY: a system call that takes a number here (ioctl_tty(2), `TIOCSCTTY`), allowed between fork and exec.
        let owned = unsafe { libc::ioctl(fd, libc::TIOCSCTTY, 0) };
        if done < 0 || owned < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
    };
    hear_every_signal(command);
    command.stdin(other_end.try_clone().unwrap()).stdout(other_end.try_clone().unwrap());
    // SAFETY: the closure makes two system calls and reads errno, all of which a child may do between fork and exec.
    unsafe { command.pre_exec(take_terminal) };
    command.spawn().unwrap()
}

#[test]
fn ctrl_c_reaches_the_program_once_and_there_is_a_table() {
    let folder = Folder::new();
    let (program, table) = (folder.program("endings"), folder.file("table"));
    for (how, code, signal, says) in
        [("count", Some(11), None, "exit code 11"), ("hang", None, Some(libc::SIGINT), "died of signal 2")]
    {
        let (mut hand, path) = terminal();
        let mut child = start_on(&path, ora(&["stat", "-r", "5", "-o"]).arg(&table).arg(&program).arg(how));
        let mut lines = BufReader::new(hand.try_clone().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "ready");
        hand.write_all(b"\x03").unwrap();
        let status = child.wait().unwrap();
        assert_eq!((status.code(), status.signal()), (code, signal), "{how}");
        let table = fs::read_to_string(&table).unwrap();
        assert!(table.contains(says) && table.contains("stopped after 1 of 5 runs"), "{table}");
    }
}
