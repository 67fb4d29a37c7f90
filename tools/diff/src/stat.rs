//! A side from a file of `ora stat --json`.

use std::collections::BTreeMap;
use std::io::{BufReader, Read as _};
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use terminal::printable::Shown;
use untrusted::regular;

use super::side::{self, Side};

/// Maximum number of bytes of a file that are read.
const LARGEST: u64 = 256 << 20;
/// Maximum number of runs: each place with regions has a figure for each of them.
const MAX_RUNS: usize = 10_000;
/// Supported version of `ora stat --json`.
const VERSION: u32 = 2;

#[derive(Debug, Deserialize)]
struct Document {
    #[serde(default)]
    schema: String,
    #[serde(default)]
    version: u32,
    #[serde(default)]
    command: Vec<String>,
    #[serde(default)]
    runs: Vec<Run>,
}

#[derive(Debug, Deserialize)]
struct Run {
    wall_ns: f64,
    processes: Vec<Process>,
}

#[derive(Debug, Deserialize)]
struct Process {
    cpu_ns: Option<f64>,
    time_ns: BTreeMap<String, f64>,
    regions: Vec<Region>,
}

#[derive(Debug, Deserialize)]
struct Region {
    function: Option<String>,
    file: Option<String>,
    line: Option<u64>,
    object: Option<String>,
    address: Option<serde_json::Value>,
    total_ns: f64,
    wait_ns: f64,
}

/// Reads the side of a file of `ora stat --json`.
///
/// # Errors
/// If it can't be read, or is a different file.
pub fn of_stat(path: &Path) -> Result<Side> {
    let file = regular::open(path).with_context(|| format!("cannot read {}", path.shown()))?.take(LARGEST);
    let wrong = || {
        let path = path.shown();
        format!("{path} is not an output of `ora stat --json`. Write one: ora stat --json -r 5 -o FILE -- PROGRAM")
    };
    let document: Document = serde_json::from_reader(BufReader::new(file)).with_context(wrong)?;
    if document.schema != "ora-stat" {
        bail!("{}", wrong());
    }
    if document.version != VERSION {
        let path = path.shown();
        bail!(
            "{path} has version {} of the format; this ora reads version {VERSION}: use the same ora for both",
            document.version
        );
    }
    if document.runs.len() > MAX_RUNS {
        bail!("{} has {} runs; at most {MAX_RUNS} are compared", path.shown(), document.runs.len());
    }
    let side = of(document);
    if side.runs == 0 {
        bail!("{} has no run in which the collector started: `ora doctor -- PROGRAM` says why", path.shown());
    }
    Ok(side)
}

fn of(document: Document) -> Side {
    let mut side = Side { command: document.command, ..Side::default() };
    // The process that was started comes first; the others may differ from run to run.
    let runs = document.runs.into_iter().filter_map(|run| Some((run.wall_ns, run.processes.into_iter().next()?)));
    for (number, (wall_ns, process)) in runs.enumerate() {
        side.runs += 1;
        side.wall_ns.push(wall_ns);
        side.cpu_ns.extend(process.cpu_ns);
        for (activity, ns) in process.time_ns {
            side.activities.entry(activity).or_default().push(ns);
        }
        side.add_regions(number, process.regions.into_iter().map(region).collect());
    }
    side.complete();
    side
}

fn region(it: Region) -> side::Region {
    side::Region {
        function: it.function.or(it.object).unwrap_or_default(),
        file: it.file,
        line: it.line,
        // Of one length, so that their order is that of the addresses.
        address: it.address.map(|it| it.as_u64().map_or_else(|| it.to_string(), |address| format!("{address:016x}"))),
        total_ns: it.total_ns,
        wait_ns: it.wait_ns,
    }
}

#[cfg(test)]
mod tests {
    use super::side::{Scope, Spot};
    use super::*;

    fn side(runs: &str) -> Side {
        let text = format!("{{\"schema\":\"ora-stat\",\"version\":2,\"command\":[\"./a\"],\"runs\":[{runs}]}}");
        of(serde_json::from_str(&text).unwrap())
    }

    fn run(wall: u32, regions: &str) -> String {
        format!(
            "{{\"wall_ns\":{wall},\"processes\":[{{\"cpu_ns\":null,\"time_ns\":{{\"work\":7}},\"regions\":[{regions}]}}]}}"
        )
    }

    fn region(function: &str, line: u32, total: u32) -> String {
        format!(
            "{{\"function\":\"{function}\",\"file\":\"/x/a.c\",\"line\":{line},\"object\":null,\"address\":null,\
             \"total_ns\":{total},\"wait_ns\":3}}"
        )
    }

    #[test]
    fn each_figure_has_a_value_for_each_run() {
        let first = run(10, &[region("f", 9, 3), region("f", 5, 2)].join(","));
        let second = run(20, &[region("f", 5, 4), region("g", 7, 6)].join(","));
        let side = side(&[first, second].join(","));
        assert_eq!((side.runs, &side.wall_ns[..]), (2, &[10.0, 20.0][..]));
        assert_eq!(side.activities["work"], [7.0, 7.0]);
        let of = |scope: &Scope| side.regions[scope].iter().map(|(spot, it)| (spot.clone(), it.total_ns.clone()));
        let scope = |function: &str| Scope { function: function.to_owned(), file: "a.c".to_owned() };
        let (f, g): (Vec<_>, Vec<_>) = (of(&scope("f")).collect(), of(&scope("g")).collect());
        assert_eq!(f, [(Spot::Line(5), vec![2.0, 4.0]), (Spot::Line(9), vec![3.0, 0.0])]);
        assert_eq!(g, [(Spot::Line(7), vec![0.0, 6.0])]);
        assert_eq!(side.regions[&scope("f")][&Spot::Line(5)].wait_ns, [3.0, 3.0]);
    }
}
