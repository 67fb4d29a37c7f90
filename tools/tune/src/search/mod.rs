//! The search: one variable after the other, most promising first. A value that is much slower in its first run gets no second run, and one
//! that isn't faster in two runs gets no third. A value that appears faster is run until that is certain.
//!
//! The search compares medians of alternating runs, so that a machine that becomes slower affects all settings. At the end the best setting
//! and the unchanged program run alternately, as often as requested; the result is the interval of their difference. Only these runs count:
//! by the earlier ones the setting was chosen, from among many, so they are fast by chance.

use std::path::Path;

use anyhow::Result;
use statistics::change::Change;
use statistics::ranks;

use super::choices::Dimension;
use super::setting::Setting;

/// Minimum number of runs of the unchanged program, of a value that is accepted, and of both at the end: the ranks of fewer decide nothing.
pub(crate) const LOOKS: usize = 3;
/// Maximum number of runs of a value that appears to save time, until that is certain.
const MAX_RUNS_OF_A_VALUE: usize = 6;
/// A value that is slower by more than this part of the time, and by more than the noise, gets no second run. With 0.01, single runs
/// decided, and values that gain a tenth were dropped.
const SLOWER: f64 = 0.05;
/// Part by which a saving may exceed its known limit.
const CHANCE: f64 = 0.05;
/// A value is accepted if it certainly saves time, and at least this part of it.
const MIN_GAIN: f64 = 0.01;

/// Extent of a search.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Number of runs at the end of the best setting, and of the unchanged program.
    pub repeat: usize,
    /// Maximum number of runs in total.
    pub runs: usize,
}

/// Result of a run.
pub enum Outcome {
    /// It took this many nanoseconds.
    Took(f64),
    /// It failed, or its results are wrong.
    Wrong,
    /// It took many times as long as the unchanged program, and was ended.
    TooLong,
    /// There will be no more runs.
    Stop,
}

/// Setting with its runs.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    pub(crate) setting: Setting,
    /// Wall times in nanoseconds.
    pub(crate) times_ns: Vec<f64>,
    /// True if a run failed, or its results were wrong.
    pub(crate) is_wrong: bool,
    /// True if it is wrong because it took too long.
    pub(crate) is_too_long: bool,
}

impl Trial {
    fn of(setting: Setting) -> Self {
        Self { setting, times_ns: Vec::new(), is_wrong: false, is_too_long: false }
    }

    /// Median of the runs, in nanoseconds.
    pub(crate) fn median_ns(&self) -> f64 {
        let mut times = self.times_ns.clone();
        times.sort_unstable_by(f64::total_cmp);
        let middle = times.len() / 2;
        match (times.get(middle), times.get(middle.wrapping_sub(1))) {
            (Some(upper), Some(lower)) if times.len().is_multiple_of(2) => f64::midpoint(*lower, *upper),
            (Some(middle), _) => *middle,
            _ => f64::INFINITY,
        }
    }

    /// (longest - shortest) / shortest.
    pub(crate) fn spread(&self) -> f64 {
        let of = |start: f64, of: fn(f64, f64) -> f64| self.times_ns.iter().copied().fold(start, of);
        let (shortest, longest) = (of(f64::INFINITY, f64::min), of(0.0, f64::max));
        if shortest > 0.0 && shortest.is_finite() { (longest - shortest) / shortest } else { 0.0 }
    }
}

/// Alternating runs at the end of a search: their wall times in nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct Final {
    pub(crate) default_ns: Vec<f64>,
    pub(crate) best_ns: Vec<f64>,
}

impl Final {
    /// Change of the mean wall time by the best setting.
    fn change(&self) -> Option<Change> {
        Change::of(&self.default_ns, &self.best_ns)
    }

    /// True if the best setting saves time, and chance doesn't explain that.
    fn is_surely_less(&self) -> bool {
        // Single runs that take several times as long affect the mean, but not the ranks.
        self.change().is_some_and(Change::is_surely_less) && ranks::is_surely_less(&self.default_ns, &self.best_ns)
    }
}

/// Result of a search.
#[derive(Debug)]
pub struct Found {
    /// The unchanged program comes first.
    pub(crate) trials: Vec<Trial>,
    /// Index of the fastest one; 0 if nothing is certainly faster than the unchanged program.
    pub(crate) best: usize,
    /// Change of the wall time by the best setting that was fully tried, in the runs at the end.
    pub(crate) change: Option<Change>,
    /// Those runs; `trials` have them as well.
    pub(crate) last: Final,
    /// Index of that setting.
    pub(crate) tried: usize,
    /// Number of runs in total.
    pub runs: usize,
    /// Number of runs that observed regions.
    pub(crate) looks: usize,
    /// True if the runs were not enough for all values.
    pub(crate) is_cut: bool,
}

impl Found {
    /// Gives the file with settings by region another name. Returns true if they are among the best.
    pub fn rename(&mut self, from: &Path, to: &Path) -> bool {
        for trial in &mut self.trials {
            trial.setting.rename(&from.to_string_lossy(), &to.to_string_lossy());
        }
        self.trials.get(self.best).is_some_and(|best| best.setting.is_by_region())
    }
}

/// Search in progress.
pub(crate) struct Search<R> {
    limits: Limits,
    run: R,
    trials: Vec<Trial>,
    best: usize,
    last: Final,
    runs: usize,
    looks: usize,
    has_stopped: bool,
}

impl<R: FnMut(&Setting, usize) -> Result<Outcome>> Search<R> {
    /// Creates a search. `run` runs the program once; it gets the setting, and the number of runs so far.
    pub(crate) fn new(limits: Limits, run: R) -> Self {
        let trials = vec![Trial::of(Setting::default())];
        Self { limits, run, trials, best: 0, last: Final::default(), runs: 0, looks: 0, has_stopped: false }
    }

    /// Tries all values.
    ///
    /// # Errors
    /// If a run can't be started.
    pub(crate) fn go(&mut self, dimensions: &[Dimension]) -> Result<()> {
        while self.runs_of(0) < LOOKS.min(self.limits.repeat) && self.run(0)? {}
        // With another number of threads, another way to wait may be best.
        for dimension in dimensions.iter().chain(dimensions.iter().filter(|it| it.is_of_number)) {
            let base = self.at(self.best).setting.clone();
            if dimension.is_of_teams && base.is_of_one_thread() {
                continue;
            }
            for change in &dimension.values {
                let change: Vec<_> = change.iter().map(|(name, value)| (*name, value.as_str())).collect();
                let setting = base.with(&change);
                if self.trials.iter().all(|trial| trial.setting != setting) {
                    self.attempt(setting, 1.0)?;
                }
            }
        }
        Ok(())
    }

    /// The best setting so far.
    pub(crate) fn best(&self) -> &Setting {
        &self.at(self.best).setting
    }

    /// Number of runs that are left for settings.
    pub(crate) fn room(&self) -> usize {
        // The last runs are reserved for the comparison.
        let all = self.limits.runs.saturating_sub(2 * self.limits.repeat.max(LOOKS));
        if self.has_stopped { 0 } else { all.saturating_sub(self.runs) }
    }

    /// Median of the wall times with the best setting so far.
    pub(crate) fn best_median_ns(&self) -> f64 {
        self.at(self.best).median_ns()
    }

    /// Counts a run that observed regions.
    pub(crate) fn count_look(&mut self) {
        self.runs += 1;
        self.looks += 1;
    }

    /// Compares the best setting with the unchanged program by new runs.
    ///
    /// # Errors
    /// If a run can't be started.
    pub(crate) fn compare(&mut self) -> Result<()> {
        if self.best == 0 {
            while self.runs_of(0) < self.limits.repeat && self.run(0)? {}
            return Ok(());
        }
        for _ in 0..self.limits.repeat.max(LOOKS) {
            if !self.run(0)? || !self.run(self.best)? {
                break;
            }
            let last = |number: usize| self.at(number).times_ns.last().copied().filter(|_| !self.at(number).is_wrong);
            let (Some(default), Some(best)) = (last(0), last(self.best)) else { break };
            self.last.default_ns.push(default);
            self.last.best_ns.push(best);
        }
        Ok(())
    }

    /// Tries a setting, which may become the best one. `most` is the part of the time that it can save, as far as that is known; a larger
    /// saving is due to chance.
    ///
    /// # Errors
    /// If a run can't be started.
    pub(crate) fn attempt(&mut self, setting: Setting, most: f64) -> Result<()> {
        if self.room() == 0 {
            self.has_stopped = true;
            return Ok(());
        }
        let number = self.trials.len();
        self.trials.push(Trial::of(setting));
        let noise = self.at(self.best).spread().max(self.at(0).spread());
        let limit = self.at(self.best).median_ns() * (1.0 + SLOWER.max(noise));
        for look in 0..MAX_RUNS_OF_A_VALUE {
            if look > 0 && !self.run(self.best)? || !self.run(number)? {
                return Ok(());
            }
            let (new, best) = (self.at(number), self.at(self.best));
            let saves = new.median_ns() < best.median_ns() * (1.0 - MIN_GAIN);
            if new.is_wrong || new.median_ns() > limit || look > 0 && !saves {
                return Ok(());
            }
            if look + 1 >= LOOKS && Change::of(&best.times_ns, &new.times_ns).is_some_and(Change::is_surely_less) {
                if new.median_ns() >= best.median_ns() * (1.0 - most - CHANCE) {
                    self.best = number;
                }
                return Ok(());
            }
        }
        Ok(())
    }

    /// Makes one more run of a setting. Returns false if there will be no more.
    fn run(&mut self, number: usize) -> Result<bool> {
        if self.has_stopped {
            return Ok(false);
        }
        let setting = self.at(number).setting.clone();
        let outcome = (self.run)(&setting, self.runs)?;
        let Some(trial) = self.trials.get_mut(number) else { return Ok(false) };
        match outcome {
            Outcome::Took(ns) => trial.times_ns.push(ns),
            Outcome::Wrong => trial.is_wrong = true,
            Outcome::TooLong => (trial.is_wrong, trial.is_too_long) = (true, true),
            Outcome::Stop => {
                self.has_stopped = true;
                return Ok(false);
            }
        }
        self.runs += 1;
        Ok(true)
    }

    #[allow(clippy::indexing_slicing, reason = "numbers of trials that were pushed")]
    fn at(&self, number: usize) -> &Trial {
        &self.trials[number]
    }

    fn runs_of(&self, number: usize) -> usize {
        let trial = self.at(number);
        if trial.is_wrong { usize::MAX } else { trial.times_ns.len() }
    }

    /// Ends the search: returns everything that was tried, and the best of it.
    pub(crate) fn end(self) -> Found {
        let is_wrong = self.at(self.best).is_wrong;
        let is_sure = !is_wrong && self.last.is_surely_less();
        Found {
            best: if is_sure { self.best } else { 0 },
            tried: self.best,
            change: self.last.change().filter(|_| !is_wrong),
            last: self.last,
            trials: self.trials,
            runs: self.runs,
            looks: self.looks,
            is_cut: self.has_stopped,
        }
    }
}

#[cfg(test)]
mod tests;
