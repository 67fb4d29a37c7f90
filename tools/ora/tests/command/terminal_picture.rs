//! A command on a terminal, and the screen that it shows there. Unsafe: a system call reads a terminal's settings.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZero;
use std::os::fd::AsRawFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::terminal::{resize, start_on, terminal};

/// Terminal with a command on it, and its screen of 80 columns and 24 lines.
pub(crate) struct Screen {
    pub(crate) hand: File,
    other_end: File,
    bytes: Receiver<Vec<u8>>,
    pub(crate) raw: Vec<u8>,
    picture: vt100::Parser,
    pub(crate) child: Child,
    before: libc::termios,
}

impl Drop for Screen {
    /// Ends the command after a failure.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Escape sequence (OSC) that no terminal supports.
const END: &[u8] = b"\x1b]7999;end\x07";

impl Screen {
    pub(crate) fn of(command: &mut Command) -> Self {
        Self::sized(command, 80, 24)
    }

    pub(crate) fn sized(command: &mut Command, columns: u16, lines: u16) -> Self {
        let (hand, path) = terminal();
        resize(&hand, columns, lines);
        // Kept open so that its settings can be read at the end.
        let other_end = File::options().read(true).write(true).open(&path).unwrap();
        let before = settings(&other_end);
        let child = start_on(&path, command.env("TERM", "xterm-256color").stderr(Stdio::null()));
        let (send, bytes) = channel();
        let mut from = hand.try_clone().unwrap();
        thread::spawn(move || {
            let mut some = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut some) {
                if send.send(some[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let [lines, columns] = [24, 80].map(|number| NonZero::new(number).unwrap());
        let picture = vt100::Parser::new(lines, columns, 0);
        Self { hand, other_end, bytes, raw: Vec::new(), picture, child, before }
    }

    pub(crate) fn text(&self) -> String {
        self.picture.screen().contents()
    }

    /// Waits until the screen contains all of these words.
    pub(crate) fn shows(&mut self, words: &[&str]) {
        let begun = Instant::now();
        while !words.iter().all(|word| self.text().contains(word)) {
            assert!(begun.elapsed() < Duration::from_secs(60), "{words:?} are missing:\n{}", self.text());
            // One screen at a time: the next one may be the last.
            self.read_some();
        }
    }

    /// Processes what the command writes next; false if it writes nothing for a while.
    fn read_some(&mut self) -> bool {
        let Ok(bytes) = self.bytes.recv_timeout(Duration::from_millis(50)) else { return false };
        self.picture.process(&bytes);
        self.raw.extend(bytes);
        true
    }

    pub(crate) fn read(&mut self) {
        while self.read_some() {}
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.hand.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits for the end of the command. The terminal's settings must be restored by then.
    pub(crate) fn ends(&mut self) -> Option<i32> {
        let begun = Instant::now();
        let status = loop {
            self.read();
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "it does not end:\n{}", self.text());
        };
        // Follows the command's last output; a terminal ignores it.
        self.other_end.write_all(END).unwrap();
        while !self.raw.ends_with(END) {
            assert!(begun.elapsed() < Duration::from_secs(60), "its output does not end:\n{}", self.text());
            self.read();
        }
        let now = settings(&self.other_end);
        assert_eq!(
            (now.c_lflag, now.c_iflag, now.c_oflag),
            (self.before.c_lflag, self.before.c_iflag, self.before.c_oflag)
        );
        let screen = self.picture.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor(), "{}", self.text());
        status.code()
    }
}

fn settings(terminal: &File) -> libc::termios {
    // SAFETY: all zero is a valid `termios`.
    let mut settings: libc::termios = unsafe { std::mem::zeroed() };
    // SAFETY: `settings` is valid for writes.
    assert_eq!(unsafe { libc::tcgetattr(terminal.as_raw_fd(), &raw mut settings) }, 0);
    settings
}
