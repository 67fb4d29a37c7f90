//! Sides from the folder of a profile or a trace: one from its events, and one from its samples.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::Deserialize;
use trace_analysis::{Site, Slice, Timeline};

use super::side::{Origin, Region, Side};

/// Parts of `ora report --json` that are compared.
#[derive(Debug, Deserialize)]
struct Document {
    begin_ns: f64,
    end_ns: f64,
    total: Sum,
    states: BTreeMap<String, Sum>,
    processes: Vec<Process>,
    functions: Vec<Function>,
    regions: Vec<ProfiledRegion>,
    waits: Vec<Wait>,
}

#[derive(Debug, Deserialize)]
struct Sum {
    total_ns: f64,
    wait_ns: f64,
    cpu_ns: f64,
}

#[derive(Debug, Deserialize)]
struct Process {
    #[serde(default)]
    command: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Function {
    name: String,
    own: Sum,
}

#[derive(Debug, Deserialize)]
struct ProfiledRegion {
    function: Option<String>,
    file: Option<String>,
    line: Option<u64>,
    object: Option<String>,
    address: Option<String>,
    with_inner: Sum,
}

#[derive(Debug, Deserialize)]
struct Wait {
    state: String,
    sum: Sum,
    places: Vec<WaitPlace>,
}

#[derive(Debug, Deserialize)]
struct WaitPlace {
    function: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    sum: Sum,
}

/// Returns the side of a profile, or of a trace's samples, from the document of `ora report --json`.
///
/// # Errors
/// If it is a different document.
pub fn of_profile(document: &str) -> serde_json::Result<Side> {
    let document: Document = serde_json::from_str(document)?;
    let mut side = Side { origin: Origin::Profile, runs: 1, ..Side::default() };
    side.command = document.processes.into_iter().next().map(|process| process.command).unwrap_or_default();
    side.wall_ns = vec![document.end_ns - document.begin_ns];
    side.cpu_ns = vec![document.total.cpu_ns];
    side.activities = document.states.into_iter().map(|(state, sum)| (state, vec![sum.total_ns])).collect();
    for function in document.functions {
        add(&mut side.functions, function.name, function.own.total_ns);
    }
    for wait in document.waits {
        let name = wait.state.replace('_', " ");
        let known_ns: f64 = wait.places.iter().map(|place| place.sum.total_ns).sum();
        for it in wait.places {
            let line = it.line.unwrap_or_default();
            let site = Site { function: it.function.unwrap_or_default(), file: it.file, line, ..Site::default() };
            add(&mut side.waits, at(&name, &site.whole()), it.sum.total_ns);
        }
        add(&mut side.waits, name, wait.sum.total_ns - known_ns);
    }
    let regions = document.regions.into_iter().map(|it| Region {
        function: it.function.or(it.object).unwrap_or_default(),
        file: it.file,
        line: it.line,
        address: it.address,
        total_ns: it.with_inner.total_ns,
        wait_ns: it.with_inner.wait_ns,
    });
    side.add_regions(0, regions.collect());
    Ok(side)
}

/// Returns the side of a trace's events.
pub fn of_trace(timelines: &[Timeline]) -> Side {
    let mut side = Side { origin: Origin::Trace, runs: 1, ..Side::default() };
    side.command = timelines.first().map(|timeline| timeline.facts.command.clone()).unwrap_or_default();
    let begin_ns = timelines.iter().map(|timeline| timeline.begin_ns).min();
    let end_ns = timelines.iter().map(|timeline| timeline.end_ns).max();
    side.wall_ns = begin_ns.zip(end_ns).map(|(begin, end)| end.saturating_sub(begin) as f64).into_iter().collect();
    // Processes have the same code at different addresses, and different code at the same address.
    let unknown = Site::default();
    let mut regions: FxHashMap<&Site, Region> = FxHashMap::default();
    for timeline in timelines {
        let mut figures: FxHashMap<u64, (f64, f64)> = FxHashMap::default();
        for region in timeline.regions.iter().filter(|region| region.is_over) {
            figures.entry(region.code).or_default().0 += region.end_ns.saturating_sub(region.begin_ns) as f64;
        }
        // By kind and place, with one of the waits: names are made once for each place.
        let mut sums: FxHashMap<(&str, u64), (f64, &Slice)> = FxHashMap::default();
        for slice in timeline.threads.iter().flat_map(|thread| &thread.slices).filter(|slice| slice.is_wait()) {
            let ns = slice.idle_ns() as f64;
            sums.entry((slice.name(), slice.code)).or_insert((0.0, slice)).0 += ns;
            let region = timeline.region(slice.id).filter(|_| slice.is_barrier());
            if let Some((_, wait_ns)) = region.and_then(|region| figures.get_mut(&region.code)) {
                *wait_ns += ns;
            }
        }
        for ((name, _), (ns, slice)) in sums {
            add(&mut side.activities, name.to_owned(), ns);
            let place = timeline.site(slice).map(Site::whole).unwrap_or_default();
            add(&mut side.waits, at(name, &place), ns);
        }
        for (code, (total_ns, wait_ns)) in figures {
            let site = timeline.sites.get(code).unwrap_or(&unknown);
            let region = regions.entry(site).or_insert_with(|| region(site));
            region.total_ns += total_ns;
            region.wait_ns += wait_ns;
        }
    }
    side.add_regions(0, regions.into_values().collect());
    side
}

/// Region of a place, without its time.
fn region(site: &Site) -> Region {
    Region {
        function: site.function.clone(),
        file: site.file.clone(),
        line: (site.line > 0).then_some(site.line.into()),
        // Of one length, so that their order is that of the addresses.
        address: Some(format!("{:016x}", site.address)),
        ..Region::default()
    }
}

/// Adds to the figure with this name in the only run.
fn add(figures: &mut BTreeMap<String, Vec<f64>>, name: String, ns: f64) {
    if ns > 0.0 {
        let values = figures.entry(name).or_insert_with(|| vec![0.0]);
        values.iter_mut().for_each(|value| *value += ns);
    }
}

fn at(name: &str, place: &str) -> String {
    if place.is_empty() { name.to_owned() } else { format!("{name} in {place}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_one_name_are_added_up() {
        let mut figures = BTreeMap::new();
        for (name, ns) in [("a", 1.0), ("b", 2.0), ("a", 3.0), ("c", 0.0)] {
            add(&mut figures, name.to_owned(), ns);
        }
        assert_eq!(figures, BTreeMap::from([("a".to_owned(), vec![4.0]), ("b".to_owned(), vec![2.0])]));
    }

    #[test]
    fn places_are_as_known() {
        let site = |function: &str, file: Option<&str>, line| Site {
            function: function.to_owned(),
            file: file.map(str::to_owned),
            line,
            ..Site::default()
        };
        assert_eq!(site("f", Some("/x/a.c"), 7).whole(), "f at a.c:7");
        assert_eq!(at("lock", &site("f", None, 0).whole()), "lock in f");
        assert_eq!(at("idle", &site("", None, 0).whole()), "idle");
    }
}
