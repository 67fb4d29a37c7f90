//! Settings by region on libgomp: the number of threads of its teams, and the chunk of its dynamic and guided loops.
//!
//! A few runs under `ora stat` give all regions the same value, and measure the effect on each region. So the number of runs doesn't grow
//! with the number of regions. Together the best values form one setting, which the search then tries like others.

use std::collections::BTreeMap;
use terminal::printable::Shown;

use advice::Place;
use anyhow::Result;
use region_settings::Region;

use crate::bodies::Bodies;
use crate::choices::fewer;
use crate::seen::{Seen, SeenRegion};

/// Part of the wall time from which on a region is examined.
const MIN_SHARE: f64 = 0.05;
/// A value is accepted if the region takes less than this part of its unchanged time, because observations are single runs.
const FASTER: f64 = 0.95;
/// Chunks that are tried.
const CHUNKS: [u32; 6] = [1, 4, 16, 64, 256, 1024];

/// Setting that all regions get simultaneously.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// The settings that the region already has.
    AsItIs,
    Threads(u32),
    Chunk(u32),
}

/// Region, and the best settings for it so far.
#[derive(Clone, Debug)]
pub(crate) struct Tuned {
    pub(crate) place: Place,
    /// Path of its file.
    pub(crate) file: String,
    pub(crate) settings: Region,
    /// Unchanged time, and time with the settings, summed over all of its executions.
    pub(crate) before_ns: f64,
    pub(crate) after_ns: f64,
    is_shared_out: bool,
    /// Shortest time with each value that was observed.
    times: Vec<(Value, f64)>,
}

/// Regions of a program that are worth tuning.
pub struct ByRegion {
    pub(crate) regions: Vec<Tuned>,
    threads: Vec<u32>,
    bodies: Bodies,
}

impl ByRegion {
    /// Returns the regions of a run; `None` if there is nothing to set. `wanted` are the numbers of threads that the user wants to try.
    pub(crate) fn of(seen: &Seen, wanted: Option<&[u32]>) -> Option<Self> {
        if !seen.is_gnu {
            return None;
        }
        let mut bodies = Bodies::default();
        let mut regions = Vec::new();
        for SeenRegion { place, body, total_ns, chunks, .. } in &seen.regions {
            let (Some((file, begin)), before_ns) = (body, *total_ns) else { continue };
            if before_ns < MIN_SHARE * seen.elapsed_ns {
                continue;
            }
            let Some(end) = bodies.end(file, *begin) else { continue };
            regions.push(Tuned {
                place: place.clone(),
                file: file.clone(),
                settings: Region { begin: *begin, end, threads: 0, chunk: 0 },
                before_ns,
                after_ns: before_ns,
                is_shared_out: *chunks > 0,
                times: Vec::new(),
            });
        }
        let team = seen.regions.iter().map(|region| region.threads).max().unwrap_or(1);
        let counts = match wanted {
            Some(wanted) => wanted.iter().copied().map(u64::from).collect(),
            None => fewer(team, seen.processors_allowed.unwrap_or(team).min(team)),
        };
        let less = counts.into_iter().filter(|count| *count < team).filter_map(|count| u32::try_from(count).ok());
        // If one region takes all the time, the number of threads of the whole program is tried anyway.
        let threads = if regions.len() > 1 { less.collect() } else { Vec::new() };
        let is_any = !threads.is_empty() || regions.iter().any(|region| region.is_shared_out);
        (is_any && !regions.is_empty()).then_some(Self { regions, threads, bodies })
    }

    /// Number of observations if each value gets one.
    pub(crate) fn looks(&self) -> usize {
        1 + self.threads.len() + self.chunks().len()
    }

    fn chunks(&self) -> &'static [u32] {
        if self.regions.iter().any(|region| region.is_shared_out) { &CHUNKS } else { &[] }
    }

    /// Observes each value this many times: first all numbers of threads, and then all chunks with the best of those. `look` runs the
    /// program with a file of settings, and returns `None` if it failed or had no regions. Returns true if some value makes a region
    /// faster.
    ///
    /// # Errors
    /// If a run can't be started.
    pub(crate) fn choose(
        &mut self,
        rounds: usize,
        mut look: impl FnMut(&str, &str) -> Result<Option<Seen>>,
    ) -> Result<bool> {
        let threads: Vec<_> = self.threads.iter().copied().map(Value::Threads).collect();
        let chunks: Vec<_> = self.chunks().iter().copied().map(Value::Chunk).collect();
        for values in [threads, chunks] {
            if values.is_empty() {
                continue;
            }
            for value in (0..rounds).flat_map(|_| std::iter::once(Value::AsItIs).chain(values.iter().copied())) {
                if let Some(seen) = look(&value.text(), &self.text(value))? {
                    self.note(value, &seen);
                }
            }
            self.regions.iter_mut().for_each(Tuned::take_the_fastest);
        }
        Ok(self.chosen().next().is_some())
    }

    fn note(&mut self, value: Value, seen: &Seen) {
        for (region, ns) in self.times(seen) {
            let known = region.times.iter_mut().find(|(of, _)| *of == value);
            match known {
                Some((_, shortest)) => *shortest = shortest.min(ns),
                None => region.times.push((value, ns)),
            }
        }
    }

    /// Regions that have settings.
    pub(crate) fn chosen(&self) -> impl Iterator<Item = &Tuned> {
        self.regions.iter().filter(|region| region.settings.threads > 0 || region.settings.chunk > 0)
    }

    /// Wall time that the regions with settings take, which bounds the time that their settings can save.
    pub(crate) fn time_ns(&self) -> f64 {
        self.chosen().map(|region| region.before_ns).sum()
    }

    /// Regions with their times in a run.
    fn times(&mut self, seen: &Seen) -> impl Iterator<Item = (&mut Tuned, f64)> {
        let times = seen.regions.iter().filter_map(|region| Some((region.body.clone()?, region.total_ns)));
        let times: BTreeMap<(String, u64), f64> = times.collect();
        let regions = self.regions.iter_mut();
        regions.filter_map(move |region| {
            let ns = times.get(&(region.file.clone(), region.settings.begin)).copied()?;
            Some((region, ns))
        })
    }

    /// File with the best settings.
    pub fn best(&self) -> String {
        self.text(Value::AsItIs)
    }

    /// File with the settings so far, and one additional value for all regions.
    pub(crate) fn text(&self, more: Value) -> String {
        let mut out = format!(
            "# Settings by region for ORA_TUNE, by ora tune {}. See docs/reference/tune-file.md.\n",
            env!("CARGO_PKG_VERSION")
        );
        let mut files: BTreeMap<&str, Vec<(Region, String)>> = BTreeMap::new();
        for region in &self.regions {
            let settings = more.of(region);
            if settings.threads > 0 || settings.chunk > 0 {
                files.entry(&region.file).or_default().push((settings, region.place.name.clone()));
            }
        }
        for (file, regions) in files {
            out += &format!("{}\n", self.bodies.object(file));
            for (settings, name) in regions {
                out += &format!("{settings}   # {}\n", name.shown());
            }
        }
        out
    }
}

impl Tuned {
    /// Settings in the syntax of the file.
    pub(crate) fn said(&self) -> String {
        let Region { threads, chunk, .. } = self.settings;
        let said = [(threads, Value::Threads(threads)), (chunk, Value::Chunk(chunk))];
        said.into_iter().filter(|(set, _)| *set > 0).map(|(_, value)| value.text()).collect::<Vec<_>>().join(" ")
    }

    /// Accepts the value with the shortest time, if the gain is large enough.
    fn take_the_fastest(&mut self) {
        let times = std::mem::take(&mut self.times);
        let as_it_is = times.iter().find(|(value, _)| *value == Value::AsItIs).map_or(f64::INFINITY, |(_, ns)| *ns);
        if self.settings.threads == 0 {
            self.before_ns = self.before_ns.min(as_it_is);
        }
        let before_ns = if self.settings.threads == 0 { self.before_ns } else { self.after_ns.min(as_it_is) };
        let counts = |value: Value| value == Value::AsItIs || value.of(self) != self.settings;
        let times = times.into_iter().filter(|(value, _)| counts(*value));
        let fastest = times.min_by(|(_, one), (_, other)| one.total_cmp(other));
        if let Some((value, ns)) = fastest.filter(|(_, ns)| *ns < FASTER * before_ns) {
            self.settings = value.of(self);
            self.after_ns = ns;
        } else {
            self.after_ns = before_ns;
        }
    }
}

impl Value {
    /// Settings of a region with this value.
    fn of(self, region: &Tuned) -> Region {
        match self {
            Self::Threads(threads) => Region { threads, ..region.settings },
            Self::Chunk(chunk) if region.is_shared_out => Region { chunk, ..region.settings },
            Self::Chunk(_) | Self::AsItIs => region.settings,
        }
    }

    fn text(self) -> String {
        match self {
            Self::AsItIs => "no changes".to_owned(),
            Self::Threads(threads) => format!("threads={threads}"),
            Self::Chunk(chunk) => format!("chunk={chunk}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use region_settings::Line;

    fn tuned(is_shared_out: bool, times: &[(Value, f64)]) -> Tuned {
        Tuned {
            place: Place::default(),
            file: String::new(),
            settings: Region { begin: 1, end: 2, threads: 0, chunk: 0 },
            before_ns: 100.0,
            after_ns: 100.0,
            is_shared_out,
            times: times.to_vec(),
        }
    }

    #[test]
    fn the_fastest_value_is_taken_if_it_is_worth_it() {
        let mut region = tuned(true, &[(Value::AsItIs, 90.0), (Value::Threads(2), 80.0), (Value::Threads(1), 85.0)]);
        region.take_the_fastest();
        assert_eq!((region.said().as_str(), region.before_ns, region.after_ns), ("threads=2", 90.0, 80.0));
        region.times = vec![(Value::AsItIs, 78.0), (Value::Chunk(4), 76.0)];
        region.take_the_fastest();
        assert_eq!((region.said().as_str(), region.before_ns, region.after_ns), ("threads=2", 90.0, 78.0));
        region.times = vec![(Value::AsItIs, 79.0), (Value::Chunk(4), 40.0), (Value::Chunk(16), 60.0)];
        region.take_the_fastest();
        assert_eq!((region.said().as_str(), region.after_ns), ("threads=2 chunk=4", 40.0));
    }

    #[test]
    fn loops_that_are_not_handed_out_have_no_chunk() {
        let mut region = tuned(false, &[(Value::AsItIs, 90.0), (Value::Chunk(4), 40.0)]);
        region.take_the_fastest();
        assert_eq!((region.said().as_str(), region.after_ns), ("", 90.0));
    }

    #[test]
    fn names_add_no_lines_to_the_file_with_settings() {
        let hostile = "f\nobject other -\nregion 0x1 0x2 threads=1\u{1b}[2J";
        let place = Place {
            name: format!("{hostile} at {hostile}.c:1"),
            function: Some(hostile.to_owned()),
            file: Some(format!("/{hostile}.c")),
            line: Some(1),
        };
        let settings = Region { begin: 1, end: 2, threads: 7, chunk: 0 };
        let file = format!("/tmp/#{hostile}");
        let regions = vec![Tuned { place, file, settings, ..tuned(false, &[]) }];
        let text = ByRegion { regions, threads: Vec::new(), bodies: Bodies::default() }.text(Value::AsItIs);
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
        let lines: Vec<_> = region_settings::lines(text.as_bytes()).collect();
        let [Ok(Line::Object(object)), Ok(Line::Region(region))] = lines[..] else { panic!("{text}") };
        assert_eq!((object.build_id, region), (None, settings));
    }
}
