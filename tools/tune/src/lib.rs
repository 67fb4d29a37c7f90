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
mod search;
mod seen;
mod setting;
mod table;

use anyhow::Result;

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
    search.go(&choices.dimensions)?;
    let by_region = ByRegion::of(seen, threads);
    let by_region = by_region.map(|it| look(it, &mut search, program)).transpose()?.flatten();
    search.compare()?;
    Ok((search.end(), by_region))
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
