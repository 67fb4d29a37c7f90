//! Parser of the file that libora.so writes for `ORA_TOOL_LOG`: the tools asked in each process, and their answers.
#![cfg_attr(
    not(test),
    expect(
        clippy::disallowed_methods,
        reason = "in a folder that `ora` has made for itself, which no other user may enter"
    )
)]

use std::fs;
use std::path::{Path, PathBuf};

use linking::tool::Interface;

/// The variable that names the file.
pub(super) const VARIABLE: &str = "ORA_TOOL_LOG";

/// A tool that was asked.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) pid: u32,
    pub(super) interface: Interface,
    pub(super) file: PathBuf,
    /// `None` if it has not answered.
    pub(super) attached: Option<bool>,
}

/// All lines of a record, in their order.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) asked: Vec<Asked>,
    /// Processes in which no tool, or no further tool, was asked, and the reason: `none`, `disabled`,
    /// `left_to_runtime`.
    pub(super) ended: Vec<(u32, Interface, String)>,
}

impl Record {
    /// The record is empty if there is no file.
    pub(super) fn read(file: &Path) -> Self {
        let bytes = fs::read(file).unwrap_or_default();
        let mut record = Self::default();
        String::from_utf8_lossy(&bytes).lines().for_each(|line| _ = record.add(line));
        record
    }

    fn add(&mut self, line: &str) -> Option<()> {
        let mut words = line.splitn(4, ' ');
        let pid = words.next()?.parse().ok()?;
        let interface = match words.next()? {
            "tr2" => Interface::Tr2,
            "openmp_5" => Interface::OpenMp5,
            _ => return None,
        };
        match words.next()? {
            "asks" => self.asked.push(Asked { pid, interface, file: PathBuf::from(words.next()?), attached: None }),
            word @ ("attached" | "declined") => {
                let named = words.next().map(Path::new);
                let is_it = |asked: &&mut Asked| {
                    let silent = asked.attached.is_none() && named.is_some_and(|file| asked.file == file);
                    asked.pid == pid && asked.interface == interface && (silent || named.is_none())
                };
                let its = self.asked.iter_mut().rev().find(is_it)?;
                its.attached = Some(word == "attached");
            }
            word => self.ended.push((pid, interface, word.to_owned())),
        }
        Some(())
    }

    /// True if the record has any line about tools of an interface.
    pub(super) fn knows(&self, interface: Interface) -> bool {
        self.asked.iter().any(|asked| asked.interface == interface)
            || self.ended.iter().any(|(_, of, _)| *of == interface)
    }

    /// The part of the record that concerns one process.
    pub(super) fn of(mut self, pid: u32) -> Self {
        self.asked.retain(|asked| asked.pid == pid);
        self.ended.retain(|(of, ..)| *of == pid);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_belongs_to_the_tool_that_it_names() {
        let mut record = Record::default();
        for line in [
            "7 openmp_5 asks /a b.so",
            "7 openmp_5 asks /c.so",
            "7 openmp_5 declined",
            "7 openmp_5 asks /d.so",
            "7 openmp_5 declined /a b.so",
            "7 openmp_5 attached /d.so",
            "7 openmp_5 attached /e.so",
        ] {
            record.add(line);
        }
        let asked: Vec<_> = record.asked.iter().map(|a| (a.file.to_str().unwrap(), a.attached)).collect();
        assert_eq!(asked, [("/a b.so", Some(false)), ("/c.so", Some(false)), ("/d.so", Some(true))]);
        assert!(record.knows(Interface::OpenMp5) && !record.knows(Interface::Tr2));
    }

    #[test]
    fn an_answer_belongs_to_the_tool_that_the_process_asked_last() {
        let mut record = Record::default();
        for line in [
            "7 openmp_5 asks /a b.so",
            "8 openmp_5 asks /c.so",
            "7 openmp_5 declined",
            "7 openmp_5 asks /c.so",
            "7 tr2 none",
            "8 openmp_5 attached",
            "nonsense",
            "9 tr2 attached",
        ] {
            record.add(line);
        }
        let asked: Vec<_> = record.asked.iter().map(|a| (a.pid, a.file.to_str().unwrap(), a.attached)).collect();
        assert_eq!(asked, [(7, "/a b.so", Some(false)), (8, "/c.so", Some(true)), (7, "/c.so", None)]);
        assert_eq!(record.ended, [(7, Interface::Tr2, "none".to_owned())]);
        assert_eq!(record.of(8).asked.len(), 1);
    }
}
