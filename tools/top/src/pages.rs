//! Search for processes that an `ora` is already watching: its collector's memory contains the figures, so there is no need to attach.
//!
//! Any process can create memory with that name. A page is trusted about a process only if the user who created it is that process's user,
//! root, or the one who runs this `ora`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

use attach_inside::progress::stage;
use attach_outside::process_clock;
use stat_layout::area::{Shared, SharedArea};
use stat_layout::process_table::ProcessSlot;
use stat_layout::stat::layout::Area;
use untrusted::descriptor::OtherProcess;

/// Maximum number of pages per user that are mapped.
const MAX_PAGES: usize = 64;
/// Error of a process's start time in nanoseconds: the kernel's resolution is a hundredth of a second.
const START_ERROR_NS: u64 = 100_000_000;

/// Memory of a collector of `ora stat` while it counts.
#[derive(Debug)]
pub(super) struct Page {
    shared: SharedArea<Area>,
    /// User who created it.
    owner: u32,
}

impl Page {
    /// Maps the memory of a file. `None` if it is something else.
    fn of_file(file: File, owner: u32) -> Option<Self> {
        Some(Self { shared: SharedArea::from_file(file).ok()?, owner })
    }

    /// The figures.
    pub(super) fn area(&self) -> &Area {
        self.shared.area()
    }

    /// Process that was started, or attached to. `None` if the page is not trusted about it.
    pub(super) fn root(&self) -> Option<u32> {
        let pid = self.area().process_table.header.root_pid.load(Relaxed);
        self.speaks_for(pid).then_some(pid)
    }

    /// True if the collector was injected into a running process.
    pub(super) fn was_attached(&self) -> bool {
        self.area().process_table.header.progress.stage.load(Relaxed) != 0
    }

    /// True if nothing is counted any more.
    pub(super) fn is_over(&self) -> bool {
        self.area().process_table.header.progress.stage.load(Relaxed) == stage::DONE || self.pids().is_empty()
    }

    /// Living processes that it counts.
    pub(super) fn pids(&self) -> Vec<u32> {
        let slots = self.area().process_table.process_slots().map(|(_, slot)| slot);
        let open = slots.filter(|slot| slot.end_ns.load(Relaxed) == 0 && slot.pid.load(Relaxed) != 0);
        open.filter(|slot| is_its(slot))
            .map(|slot| slot.pid.load(Relaxed))
            .filter(|pid| self.speaks_for(*pid))
            .collect()
    }

    /// True if the page is trusted about a process.
    pub(super) fn speaks_for(&self, pid: u32) -> bool {
        let own = rustix::process::geteuid().as_raw();
        OtherProcess::open(pid).is_ok_and(|process| may_speak(self.owner, own, process.user()))
    }
}

/// True if a user's page is trusted about a process of another user.
fn may_speak(owner: u32, own: u32, user: u32) -> bool {
    owner == 0 || owner == own || owner == user
}

/// True if the process with a slot's id is the one that has claimed the slot, because ids are reused.
fn is_its(slot: &ProcessSlot) -> bool {
    let pid = slot.pid.load(Relaxed);
    let by_our_clock = |ahead_ns: i64| slot.start_ns.load(Relaxed).checked_add_signed(ahead_ns.checked_neg()?);
    let claimed_ns = process_clock::ahead_ns(pid).and_then(by_our_clock);
    let started_ns = process_clock::started_ns(pid);
    claimed_ns.zip(started_ns).is_none_or(|(claimed, started)| started <= claimed.saturating_add(START_ERROR_NS))
}

/// Pages of all processes that this user may examine.
pub(super) fn all() -> Vec<Page> {
    let (mut met, mut of_user) = (BTreeSet::new(), BTreeMap::<u32, usize>::new());
    let mut pages = Vec::new();
    for pid in processes() {
        let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        let numbers = entries.map(|entry| entry.path()).filter(is_page);
        let numbers: Vec<i32> = numbers.filter_map(|path| path.file_name()?.to_str()?.parse().ok()).collect();
        let Some(process) = (!numbers.is_empty()).then(|| OtherProcess::open(pid).ok()).flatten() else { continue };
        for number in numbers {
            let Ok(file) = process.memory(number) else { continue };
            let Some(about) = file.metadata().ok().filter(|about| met.insert((about.dev(), about.ino()))) else {
                continue;
            };
            let count = of_user.entry(about.uid()).or_default();
            if *count < MAX_PAGES {
                *count += 1;
                pages.extend(Page::of_file(file, about.uid()));
            }
        }
    }
    pages.retain(|page| !page.is_over());
    pages
}

/// Page that counts this process.
pub(super) fn of(pid: u32) -> Option<Page> {
    all().into_iter().find(|page| page.pids().contains(&pid))
}

/// Ids of all processes.
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
    use stat_layout::clock::monotonic_ns;

    #[test]
    fn a_page_speaks_for_processes_of_its_owner_and_those_of_root_and_our_own_for_all() {
        for (owner, own, user, may) in [
            (1000, 0, 1000, true),
            (1000, 0, 0, false),
            (1000, 0, 1001, false),
            (0, 1000, 1001, true),
            (1000, 1000, 1001, true),
        ] {
            assert_eq!(may_speak(owner, own, user), may, "{owner} {own} {user}");
        }
    }

    #[test]
    fn a_process_that_started_after_a_claim_of_its_number_is_another_one() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let (_, slot) = shared.area().process_table.claim_process().unwrap();
        slot.pid.store(std::process::id(), Relaxed);
        slot.start_ns.store(monotonic_ns(), Relaxed);
        assert!(is_its(slot));
        slot.start_ns.store(1, Relaxed);
        assert!(!is_its(slot));
    }

    #[test]
    fn a_page_that_counts_this_process_is_found() {
        let own = std::process::id();
        let shared = SharedArea::<Area>::create(0).unwrap();
        assert!(of(own).is_none());
        let (_, slot) = shared.area().process_table.claim_process().unwrap();
        slot.pid.store(own, Relaxed);
        slot.start_ns.store(monotonic_ns(), Relaxed);
        assert_eq!(of(own).unwrap().pids(), [own]);
        shared.area().process_table.header.progress.stage.store(stage::DONE, Relaxed);
        assert!(of(own).is_none());
    }
}
