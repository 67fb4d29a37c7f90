//! The figures of a trace, as input for the rules of `advice`. A trace shows when events happened, but not which thread had
//! a processor.

use advice::{Facts, Finding, Place, Region, RuntimeKind, Wait, Waits};
use profile_analysis::job::most_at_once;
use rustc_hash::FxHashMap;
use untrusted::figure::{self, Total};

use crate::cause::slices;
use crate::shares::{self, Share};
use crate::{Site, Slice, Timeline, What, creators, outermost, serial};

/// Threads that are ready without a processor for more than one part in this number of their running time share
/// processors.
const SHARED: u64 = 20;

/// Findings of the process, the most expensive first. None for a flight recorder's trace, which has only parts of the
/// run.
pub(crate) fn findings(timeline: &Timeline) -> Vec<Finding> {
    let is_whole = timeline.header.last_ns == 0 && timeline.header.slow_ns == 0;
    if is_whole { advice::findings(&of(timeline)) } else { Vec::new() }
}

/// The length of the run.
pub(crate) fn wall_ns(timeline: &Timeline) -> f64 {
    timeline.end_ns.saturating_sub(timeline.begin_ns) as f64
}

fn lived_ns(timeline: &Timeline, kind: u16) -> u64 {
    let of_kind = timeline.threads.iter().filter(move |thread| thread.kind == kind);
    of_kind.map(|thread| thread.end_ns.saturating_sub(thread.begin_ns)).total()
}

/// Time for which workers were in no region.
pub(crate) fn idle_ns(timeline: &Timeline) -> u64 {
    let workers = timeline.threads.iter().filter(|thread| thread.kind == 2);
    let in_teams_ns = workers.flat_map(outermost::implicit_tasks).map(Slice::length_ns).total();
    lived_ns(timeline, 2).saturating_sub(in_teams_ns)
}

fn of(timeline: &Timeline) -> Facts {
    // Of threads that ran before the recording, the kernel's counts are of their whole lives.
    let scheduled_ns = timeline.facts.scheduled_ns.filter(|_| timeline.threads_begun_before() == 0);
    let [running_ns, ready_ns] = scheduled_ns.unwrap_or_default();
    let processors = timeline.facts.processors.filter(|_| scheduled_ns.is_some());
    Facts {
        wall_ns: wall_ns(timeline),
        all_ns: (lived_ns(timeline, 1) + lived_ns(timeline, 2)) as f64,
        running_ns: running_ns as f64,
        ready_ns: ready_ns as f64,
        processors: processors.map(f64::from),
        serial_ns: serial::alone_ns(timeline) as f64,
        idle_ns: idle_ns(timeline) as f64,
        team_threads: threads(timeline) as u64,
        together: timeline.together,
        waits: waits(timeline),
        regions: regions(timeline),
        runtime_kind: runtime_kind(&timeline.runtime),
        settings: timeline.facts.environment.clone(),
        ..Facts::default()
    }
}

/// Kind of a runtime by the name that it gives itself, or that the library gives it.
pub(crate) fn runtime_kind(name: &str) -> RuntimeKind {
    match name {
        name if name.contains("libgomp") => RuntimeKind::Gnu,
        name if name.contains("ora_embed.h") => RuntimeKind::Own,
        name if name.contains("OMP version") => RuntimeKind::Llvm,
        _ => RuntimeKind::Unseen,
    }
}

fn waits(timeline: &Timeline) -> Waits {
    let mut places: FxHashMap<(u8, u64), u64> = FxHashMap::default();
    for (_, _, slice) in slices(timeline) {
        if let What::MutexWait(kind) = slice.what {
            let ns = places.entry((kind, slice.code)).or_default();
            *ns = figure::sum(*ns, slice.length_ns());
        }
    }
    let wait = |is_it: fn(u8) -> bool| {
        let of_kind = || places.iter().filter(|((kind, _), _)| is_it(*kind));
        let all_ns = of_kind().map(|(_, ns)| *ns).total() as f64;
        let dearest = of_kind().max_by_key(|((_, code), ns)| (**ns, *code));
        let dearest = dearest.and_then(|((_, code), ns)| {
            let site = timeline.sites.get(*code).filter(|site| !site.place().is_empty())?;
            Some((*ns as f64 / all_ns.max(1.0), site.whole()))
        });
        Wait { ns: all_ns, dearest, count: None }
    };
    Waits {
        critical: wait(|kind| kind == 5),
        lock: wait(|kind| matches!(kind, 1..=4)),
        atomic: wait(|kind| kind == 6),
        ordered: wait(|kind| kind == 7),
        ..Waits::default()
    }
}

/// The maximum number of OpenMP threads that lived at the same time.
fn threads(timeline: &Timeline) -> usize {
    let members = timeline.threads.iter().filter(|thread| matches!(thread.kind, 1 | 2));
    most_at_once(members.map(|thread| (thread.begin_ns, thread.end_ns)))
}

/// True if each thread had a processor, and all its waits are known: if threads share processors, with each other or with other programs, it
/// isn't known which thread has waited for which.
pub(crate) fn is_comparable(timeline: &Timeline) -> bool {
    let processors = timeline.facts.processors.map_or(usize::MAX, |processors| processors as usize);
    let is_shared = timeline.facts.scheduled_ns.is_some_and(|[running_ns, ready_ns]| ready_ns > running_ns / SHARED);
    threads(timeline) <= processors && !is_shared && timeline.unrecorded_waits().is_none()
}

/// The regions by place.
fn regions(timeline: &Timeline) -> Vec<Region> {
    let mut regions: Vec<(u64, Region)> = regions_by_code(timeline).into_iter().collect();
    regions.sort_unstable_by_key(|(code, _)| *code);
    let place = |code| timeline.sites.get(code).and_then(place);
    regions.into_iter().map(|(code, region)| Region { place: place(code), ..region }).collect()
}

/// The regions by the return addresses of the calls that started them.
pub(crate) fn regions_by_code(timeline: &Timeline) -> FxHashMap<u64, Region> {
    let is_comparable = is_comparable(timeline);
    let mut found: FxHashMap<u64, Region> = FxHashMap::default();
    for region in timeline.regions.iter().filter(|region| region.is_over && !region.is_league) {
        let sum = found.entry(region.code).or_default();
        sum.ended += 1;
        sum.threads = sum.threads.max(u64::from(region.team));
        sum.total_ns = figure::sum(sum.total_ns, region.end_ns.saturating_sub(region.begin_ns));
    }
    for shares in shares::of(timeline).chunk_by(|one, other| one.region == other.region) {
        let region = shares.first().and_then(|share| timeline.region(share.region));
        let Some(sum) = region.and_then(|region| found.get_mut(&region.code)) else { continue };
        add(sum, shares, is_comparable);
    }
    for (region, creation) in creators::of(timeline) {
        let Some(sum) = timeline.region(region).and_then(|region| found.get_mut(&region.code)) else { continue };
        sum.creators = sum.creators.max(Some(creation.creators() as u64));
        sum.creating_ns = figure::sum(sum.creating_ns, creation.creating_ns);
    }
    found
}

/// Adds an instance of a region: its shares, with those of one phase next to each other.
fn add(sum: &mut Region, shares: &[Share], is_comparable: bool) {
    let mut of_threads: FxHashMap<u32, u64> = FxHashMap::default();
    let mut longest_ns = 0;
    for phase in shares.chunk_by(|one, other| one.phase == other.phase) {
        let max_ns = phase.iter().map(|share| share.busy_ns).max().unwrap_or(0);
        longest_ns = figure::sum(longest_ns, max_ns);
        for share in phase {
            let of_thread = of_threads.entry(share.thread).or_default();
            *of_thread = figure::sum(*of_thread, share.busy_ns);
            sum.work_ns = figure::sum(sum.work_ns, share.busy_ns);
            sum.barrier_ns = figure::sum(sum.barrier_ns, share.idle_ns);
            sum.tasks = figure::sum(sum.tasks, share.tasks);
            sum.imbalance_ns = figure::sum(
                sum.imbalance_ns,
                if is_comparable { share.idle_ns.min(max_ns - share.busy_ns) } else { 0 },
            );
        }
    }
    let all_ns = of_threads.values().copied().total();
    sum.shares_ns = figure::sum(sum.shares_ns, all_ns);
    sum.max_ns = figure::sum(sum.max_ns, longest_ns);
    if !is_comparable {
        // Long work and time without a processor can't be distinguished.
        return;
    }
    sum.gain_ns = figure::sum(sum.gain_ns, longest_ns.saturating_sub(all_ns / (of_threads.len() as u64).max(1)));
    sum.phases_ns =
        figure::sum(sum.phases_ns, longest_ns.saturating_sub(of_threads.values().copied().max().unwrap_or(0)));
}

fn place(site: &Site) -> Option<Place> {
    let name = Some(site.whole()).filter(|name| !name.is_empty())?;
    let line = Some(site.line).filter(|line| *line > 0);
    Some(Place { name, function: Some(site.function.clone()), file: site.file.clone(), line })
}
