//! Search for the environment settings with which a program is fastest, for `ora tune`, and the report of their effect.
//!
//! [`Choices`] are the settings that are worth trying, according to one run. [`tune()`] tries them by runs of a [`Program`].
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod bodies;
mod by_file;
mod by_region;
mod choices;
mod json;
mod program;
mod schedule;
mod search;
mod seen;
mod setting;
mod table;

use anyhow::Result;

use choices::Dimension;
use search::{LOOKS, Search};
use setting::BY_REGION;

pub use by_file::ByFile;
pub use by_region::ByRegion;
pub use choices::Choices;
pub use json::document as json;
pub use program::Program;
pub use search::{Found, Limits, Outcome};
pub use seen::{Seen, SeenRegion};
pub use setting::Setting;
pub use table::page;

/// Tries settings on a program that has been observed, including settings by region. `threads` are the numbers of threads that the user
/// wants to try.
///
/// # Errors
/// If a run can't be started.
pub fn tune(
    seen: &Seen,
    choices: &Choices,
    threads: Option<&[u32]>,
    limits: Limits,
    program: &impl Program,
) -> Result<(Found, Option<ByRegion>)> {
    let mut search = Search::new(limits, |setting, runs| {
        if program.is_interrupted() {
            return Ok(Outcome::Stop);
        }
        program.time(setting, &format!("run {}, with {}", runs + 1, setting.text()))
    });
    let dimensions = effective(seen, &choices.dimensions, &mut search, program)?;
    search.go(&dimensions)?;
    let by_region = ByRegion::of(seen, threads);
    let by_region = by_region.map(|it| look(it, &mut search, program)).transpose()?.flatten();
    search.compare()?;
    Ok((search.end(), by_region))
}

/// The dimensions, with a limit in place of `OMP_NUM_THREADS` if a run with fewer threads shows that it has no effect on the teams.
///
/// # Errors
/// If a run can't be started.
fn effective<R: FnMut(&Setting, usize) -> Result<Outcome>>(
    seen: &Seen,
    dimensions: &[Dimension],
    search: &mut Search<R>,
    program: &impl Program,
) -> Result<Vec<Dimension>> {
    let mut dimensions = dimensions.to_vec();
    // If few runs are left, they are for the settings.
    let fewest = dimensions.iter().filter_map(Dimension::fewest).min().filter(|fewest| *fewest < seen.team());
    let Some(fewest) = fewest.filter(|_| search.room() > LOOKS + 1 && !program.is_interrupted()) else {
        return Ok(dimensions);
    };
    let setting = Setting::default().with(&[("OMP_NUM_THREADS", &fewest.to_string())]);
    search.count_look();
    let look = program.watch(&setting, &format!("a look at the teams, with {}", setting.text()))?;
    if look.is_some_and(|look| look.team() >= seen.team()) {
        for dimension in dimensions.iter_mut().filter(|dimension| dimension.fewest().is_some()) {
            *dimension = dimension.as_limits(seen.team());
        }
    }
    Ok(dimensions)
}

/// Observes regions under the best setting so far that uses several threads, and tries what makes them faster. Returns `None` if nothing
/// does.
///
/// # Errors
/// If a run can't be started.
fn look<R: FnMut(&Setting, usize) -> Result<Outcome>>(
    mut by_region: ByRegion,
    search: &mut Search<R>,
    program: &impl Program,
) -> Result<Option<ByRegion>> {
    if by_region.looks() >= search.room() {
        return Ok(None);
    }
    // One thread may be best because chunks are too small for several.
    let base = Some(search.best()).filter(|best| !best.is_of_one_thread()).cloned().unwrap_or_default();
    let setting = base.with(&[(BY_REGION, &program.settings_file().to_string_lossy())]);
    let rounds = if 2 * by_region.looks() + LOOKS < search.room() { 2 } else { 1 };
    let is_any = by_region.choose(rounds, |value, text| {
        if program.is_interrupted() {
            return Ok(None);
        }
        program.write_settings(text)?;
        search.count_look();
        program.watch(&setting, &format!("a look at each region, with {value}"))
    })?;
    if !is_any {
        return Ok(None);
    }
    program.write_settings(&by_region.best())?;
    let most = by_region.time_ns() / search.best_median_ns().max(1.0);
    search.attempt(setting, most.min(1.0))?;
    Ok(Some(by_region))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use advice::{Facts, Region};

    use super::*;

    /// A program with teams of this size, whatever the variables are.
    struct Fixed(u64);

    impl Fixed {
        fn seen(&self) -> Seen {
            let regions = vec![Region { threads: self.0, ..Region::default() }];
            Seen {
                facts: Facts { regions, ..Facts::default() },
                work_ns: 1.0,
                elapsed_ns: 1.0,
                processors_allowed: Some(2),
                is_gnu: true,
                regions: Vec::new(),
            }
        }
    }

    impl Program for Fixed {
        fn is_interrupted(&self) -> bool {
            false
        }

        fn time(&self, _: &Setting, _: &str) -> Result<Outcome> {
            Ok(Outcome::Stop)
        }

        fn watch(&self, _: &Setting, _: &str) -> Result<Option<Seen>> {
            Ok(Some(self.seen()))
        }

        fn settings_file(&self) -> &Path {
            Path::new("")
        }

        fn write_settings(&self, _: &str) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_number_without_effect_becomes_a_limit() {
        let values = ["4", "1"].map(|value| vec![("OMP_NUM_THREADS", value.to_owned())]).to_vec();
        let dimensions = [Dimension { values, is_of_teams: false, is_of_number: false }];
        let after = |look: u64| {
            let mut search = Search::new(Limits { repeat: 3, runs: 13 }, |_: &Setting, _| Ok(Outcome::Stop));
            let found = effective(&Fixed(2).seen(), &dimensions, &mut search, &Fixed(look)).unwrap();
            (found[0].values.clone(), search.room())
        };
        assert_eq!(after(2), (vec![vec![("OMP_THREAD_LIMIT", "1".to_owned())]], 6), "a limit of 4 changes nothing");
        assert_eq!(after(1).0, dimensions[0].values);
    }
}
