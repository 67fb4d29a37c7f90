//! Search for processes that an `ora` watches already: its collector's memory shows the figures, and nothing has to be attached.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

use attached::progress::stage;
use ora_collectors::area::{Shared, SharedArea};
use ora_collectors::stat::layout::Area;

use crate::signals;

/// The memory of a collector of `ora stat`, while it counts.
#[derive(Debug)]
pub(super) struct Page(SharedArea<Area>);

impl Page {
    /// The figures.
    pub(super) fn area(&self) -> &Area {
        self.0.area()
    }

    /// The process that was started, or attached to.
    pub(super) fn root(&self) -> u32 {
        self.area().roll.header.root_pid.load(Relaxed)
    }

    /// True if the collector came into a process that ran already.
    pub(super) fn was_attached(&self) -> bool {
        self.area().roll.header.progress.stage.load(Relaxed) != 0
    }

    /// True if nothing is counted any more.
    pub(super) fn is_over(&self) -> bool {
        self.area().roll.header.progress.stage.load(Relaxed) == stage::DONE || self.pids().is_empty()
    }

    /// The processes that it counts and that live.
    pub(super) fn pids(&self) -> Vec<u32> {
        let slots = self.area().roll.process_slots().map(|(_, slot)| slot);
        let open = slots.filter(|slot| slot.end_ns.load(Relaxed) == 0).map(|slot| slot.pid.load(Relaxed));
        open.filter(|pid| *pid != 0 && signals::alive(*pid)).collect()
    }
}

/// The pages of all processes that this user may look at.
pub(super) fn all() -> Vec<Page> {
    let mut met = BTreeSet::new();
    let files = processes().into_iter().flat_map(|pid| {
        let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(is_page).collect::<Vec<_>>()
    });
    let mut new = |path: &PathBuf| fs::metadata(path).is_ok_and(|file| met.insert((file.dev(), file.ino())));
    let pages = files.filter(|path| new(path)).filter_map(|path| SharedArea::open(&path).ok()).map(Page);
    pages.filter(|page| !page.is_over()).collect()
}

/// The page that counts this process.
pub(super) fn of(pid: u32) -> Option<Page> {
    all().into_iter().find(|page| page.pids().contains(&pid))
}

/// Numbers of all processes.
pub(super) fn processes() -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// True if an open file has the name of a collector's memory (memfd_create(2)).
fn is_page(path: &PathBuf) -> bool {
    let name = fs::read_link(path).unwrap_or_default();
    let name = name.to_str().and_then(|name| name.strip_prefix("/memfd:"));
    name.and_then(|name| name.strip_suffix(" (deleted)")) == Area::NAME.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_counts_this_process_is_found() {
        let own = std::process::id();
        let shared = SharedArea::<Area>::create(0).unwrap();
        assert!(of(own).is_none());
        let (_, slot) = shared.area().roll.claim_process().unwrap();
        slot.pid.store(own, Relaxed);
        assert_eq!(of(own).unwrap().pids(), [own]);
        shared.area().roll.header.progress.stage.store(stage::DONE, Relaxed);
        assert!(of(own).is_none());
    }
}
