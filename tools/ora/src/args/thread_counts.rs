//! Lists of thread counts, as in `--threads`.

use std::thread::available_parallelism;

/// Maximum number of threads.
const MAX_THREADS: u32 = 4096;

/// List such as `1,2,4-8`, sorted and without duplicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counts(Vec<u32>);

impl Counts {
    /// # Errors
    /// If the text is not a list of numbers from 1 on.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|count| (1..=MAX_THREADS).contains(count));
        let part = |part: &str| match part.split_once('-') {
            Some((first, last)) => Some(number(first)?..=number(last)?).filter(|range| !range.is_empty()),
            None => number(part).map(|count| count..=count),
        };
        let ranges = text.split(',').map(part).collect::<Option<Vec<_>>>();
        let ranges = ranges.ok_or_else(|| format!("a list such as 1,2,4-8, of numbers up to {MAX_THREADS}"))?;
        let mut counts: Vec<u32> = ranges.into_iter().flatten().collect();
        counts.sort_unstable();
        counts.dedup();
        Ok(Self(counts))
    }

    /// Powers of two up to the number of processors that may be used, and that number itself.
    pub(crate) fn usual() -> Self {
        let most =
            available_parallelism().map_or(1, |most| u32::try_from(most.get()).unwrap_or(MAX_THREADS)).min(MAX_THREADS);
        let mut counts: Vec<u32> = (0..32).map(|power| 1 << power).take_while(|count| *count < most).collect();
        counts.push(most);
        Self(counts)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_put_in_order() {
        assert_eq!(Counts::parse("4,1-3, 2"), Ok(Counts(vec![1, 2, 3, 4])));
        assert!(["", "0", "1,", "x", "3-2", "1-5000", "-1"].iter().all(|text| Counts::parse(text).is_err()));
    }

    #[test]
    fn the_usual_counts_end_with_all_processors() {
        let usual = Counts::usual();
        let most = available_parallelism().unwrap().get();
        assert_eq!((usual.iter().next(), usual.iter().last().map(|last| last as usize)), (Some(1), Some(most)));
    }
}
