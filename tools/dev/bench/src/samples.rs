//! Measured values by row and mode.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::mode::Mode;

/// One value a round, by row and mode.
#[derive(Debug, Serialize)]
pub(crate) struct Samples<M: Ord = Mode>(BTreeMap<String, BTreeMap<M, Vec<f64>>>);

impl<M: Ord> Default for Samples<M> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<M: Copy + Ord> Samples<M> {
    /// Adds a round's value.
    pub(crate) fn add(&mut self, row: &str, mode: M, value: f64) {
        self.0.entry(row.to_owned()).or_default().entry(mode).or_default().push(value);
    }

    /// Copies a row's values in one mode to another row.
    pub(crate) fn copy(&mut self, from: &str, to: &str, mode: M) {
        if let Some(values) = self.of(from, mode).map(<[f64]>::to_vec) {
            values.into_iter().for_each(|value| self.add(to, mode, value));
        }
    }

    fn of(&self, row: &str, mode: M) -> Option<&[f64]> {
        Some(self.0.get(row)?.get(&mode)?.as_slice())
    }

    /// Rows whose names start with `beginning`, which is removed from them.
    pub(crate) fn part(&self, beginning: &str) -> Self {
        let rows =
            self.0.iter().filter_map(|(row, modes)| Some((row.strip_prefix(beginning)?.to_owned(), modes.clone())));
        Self(rows.collect())
    }

    /// Iterates over the rows that have values.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Iterates over the modes in which a row has values.
    pub(crate) fn ways(&self, row: &str) -> impl Iterator<Item = M> {
        self.0.get(row).into_iter().flat_map(|modes| modes.keys().copied())
    }

    /// Values of two modes, each pair from one round.
    pub(crate) fn pairs(&self, row: &str, a: M, b: M) -> Option<impl Iterator<Item = (f64, f64)>> {
        Some(self.of(row, a)?.iter().copied().zip(self.of(row, b)?.iter().copied()))
    }

    /// Value of the last run in the last of these modes.
    pub(crate) fn last(&self, row: &str, modes: impl IntoIterator<Item = M>) -> Option<f64> {
        modes.into_iter().filter_map(|mode| self.of(row, mode)?.last().copied()).last()
    }

    /// The smallest value, which shows the machine's capability without disturbance.
    pub(crate) fn best(&self, row: &str, mode: M) -> Option<f64> {
        self.of(row, mode)?.iter().copied().min_by(f64::total_cmp)
    }

    /// The median of the values.
    pub(crate) fn median(&self, row: &str, mode: M) -> Option<f64> {
        middle(self.of(row, mode)?.to_vec())
    }

    /// Median of a comparison of two modes, each pair from one round.
    pub(crate) fn paired(&self, row: &str, a: M, b: M, compare: impl Fn(f64, f64) -> f64) -> Option<f64> {
        middle(self.pairs(row, a, b)?.map(|(a, b)| compare(a, b)).collect())
    }
}

impl<M: Copy + Ord> FromIterator<Self> for Samples<M> {
    fn from_iter<I: IntoIterator<Item = Self>>(all: I) -> Self {
        let mut together = Self::default();
        for samples in all {
            for (row, modes) in samples.0 {
                let of_row = together.0.entry(row).or_default();
                modes.into_iter().for_each(|(mode, values)| of_row.entry(mode).or_default().extend(values));
            }
        }
        together
    }
}

/// The median of values.
pub(crate) fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    let upper = values.get(half).copied()?;
    if values.len() % 2 == 1 {
        return Some(upper);
    }
    values.get(half.wrapping_sub(1)).map(|lower| f64::midpoint(*lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_median_and_pairs() {
        let mut samples = Samples::default();
        for (bare, off) in [(10.0, 11.0), (20.0, 26.0), (14.0, 14.0)] {
            samples.add("row", Mode::Bare, bare);
            samples.add("row", Mode::Off, off);
        }
        assert_eq!(samples.best("row", Mode::Off), Some(11.0));
        assert_eq!(samples.median("row", Mode::Off), Some(14.0));
        assert_eq!(samples.paired("row", Mode::Off, Mode::Bare, |a, b| a - b), Some(1.0));
        assert_eq!(samples.best("row", Mode::All), None);
        assert_eq!(middle(vec![1.0, 4.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(middle(Vec::new()), None);
    }
}
