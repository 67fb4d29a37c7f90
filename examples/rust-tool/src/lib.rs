//! A tool of OpenMP 5: the load balance of parallel regions, by their place in the program.
//!
//! A thread that is done with its share waits in the barrier at the region's end. The time of all threads before their
//! arrival there is work, the time from then on to the region's end is waiting.
#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use ompt_tool::{Callback, Endpoint, ParallelBegin, ParallelEnd, Pool, Runtime, SetResult, SyncKind, SyncRegion, Tool};

/// A region that is executed. All its threads see it, so its fields are atomics.
#[derive(Default)]
struct Region {
    /// Nanoseconds from the tool's start to the region's.
    begun: AtomicU64,
    /// Threads that have arrived at the last barrier.
    threads: AtomicU64,
    /// Sum of their times of arrival, in nanoseconds from the tool's start.
    arrivals: AtomicU64,
}

/// Regions of one place, in sum: nanoseconds of all threads.
#[derive(Default)]
struct Place {
    regions: u64,
    work: u64,
    wait: u64,
}

struct LoadBalance {
    started: Instant,
    records: Pool<Region>,
    places: Mutex<HashMap<usize, Place>>,
}

impl LoadBalance {
    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

impl Tool for LoadBalance {
    // The runtime keeps the record with the region, and nothing with threads and tasks.
    type Thread = ();
    type Parallel = Option<&'static Region>;
    type Task = ();

    const CALLBACKS: &'static [Callback] = &[Callback::ParallelBegin, Callback::SyncRegion, Callback::ParallelEnd];

    fn start(runtime: Runtime<Self>) -> Option<Self> {
        eprintln!("load balance on {}", runtime.runtime_version());
        Some(Self { started: Instant::now(), records: Pool::new(), places: Mutex::default() })
    }

    fn registered(&self, answers: &[(Callback, SetResult)]) {
        for (callback, answer) in answers.iter().filter(|(_, answer)| *answer != SetResult::Always) {
            eprintln!("{callback:?} is not always reported: {answer:?}");
        }
    }

    /// On the thread that has met the construct, before the others begin.
    fn parallel_begin(&self, event: ParallelBegin<'_, Self>) {
        let region = self.records.take(Region::default);
        region.begun.store(self.now(), Relaxed);
        region.threads.store(0, Relaxed);
        region.arrivals.store(0, Relaxed);
        event.parallel.set(Some(region));
    }

    /// On each thread of the team. (Runtimes of OpenMP 5.0 don't say which implicit barrier it is.)
    fn sync_region(&self, event: SyncRegion<'_, Self>) {
        let last = matches!(event.kind, SyncKind::BarrierParallel | SyncKind::BarrierImplicit);
        if let (true, Endpoint::Begin, Some(region)) = (last, event.endpoint, event.parallel.get()) {
            region.threads.fetch_add(1, Relaxed);
            region.arrivals.fetch_add(self.now(), Relaxed);
        }
    }

    /// On the thread that has met the construct, after all have arrived.
    fn parallel_end(&self, event: ParallelEnd<'_, Self>) {
        let Some(region) = event.parallel.get() else { return };
        let (end, begun) = (self.now(), region.begun.load(Relaxed));
        let (threads, arrivals) = (region.threads.load(Relaxed), region.arrivals.load(Relaxed));
        self.records.give_back(region);
        let mut places = self.places.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let place = places.entry(event.code).or_default();
        place.regions += 1;
        place.work += arrivals - threads * begun;
        place.wait += threads * end - arrivals;
    }

    fn finalize(&self) {
        let places = self.places.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut places: Vec<_> = places.iter().collect();
        places.sort_by_key(|(_, place)| std::cmp::Reverse(place.wait));
        eprintln!("regions    work s    wait s  balance  place");
        for (code, place) in places {
            let [work, wait] = [place.work, place.wait].map(|nanoseconds| nanoseconds as f64 / 1e9);
            let balance = 100.0 * work / (work + wait);
            eprintln!("{:7} {work:9.3} {wait:9.3} {balance:6.1} %  {}", place.regions, in_file(*code));
        }
    }
}

/// An address as `FILE 0xOFFSET`, for `addr2line -f -e FILE 0xOFFSET`. One byte before a return address is inside of the call.
fn in_file(code: usize) -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let mut begins = HashMap::new();
    for line in maps.lines() {
        let Some((range, file)) = line.split_once(' ').zip(line.split_whitespace().nth(5)).map(|((r, _), f)| (r, f))
        else {
            continue;
        };
        let ends = range.split_once('-').and_then(|(begin, end)| {
            Some((usize::from_str_radix(begin, 16).ok()?, usize::from_str_radix(end, 16).ok()?))
        });
        let Some((begin, end)) = ends else { continue };
        let first = *begins.entry(file).or_insert(begin);
        if (begin..end).contains(&code) {
            return format!("{file} {:#x}", code - first - 1);
        }
    }
    format!("{code:#x}")
}

ompt_tool::export!(LoadBalance);
