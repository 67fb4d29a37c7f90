//! Tests of jobs with known answers.

use super::{Figure, Job, Rank, RegionTime};
use terminal::page::{Page, Paper};

const SECOND: u64 = 1_000_000_000;

/// Ranks of two threads for ten seconds, each with the given number of seconds outside MPI, in which both threads
/// work.
fn job(outside: &[u64]) -> Job {
    let rank = |(number, seconds): (u32, &u64)| Rank {
        number,
        host: Some("one".to_owned()),
        wall_ns: 10 * SECOND,
        mpi_ns: Some((10 - seconds) * SECOND),
        useful_ns: 2 * seconds * SECOND,
        threads: 2,
        places: vec![RegionTime { name: "f".to_owned(), ns: seconds * SECOND / 2 }],
        ..Rank::default()
    };
    Job::of((0..).zip(outside).map(rank).collect(), None).unwrap()
}

fn close(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() < 1e-9
}

#[test]
fn efficiencies_of_known_jobs_are_known() {
    for (outside, balance, communication) in [
        (&[10, 10, 10, 10][..], 1.0, 1.0),
        (&[8, 8, 8, 8], 1.0, 0.8),
        (&[10, 5, 5, 5], 0.625, 1.0),
        (&[6, 2], 2.0 / 3.0, 0.6),
    ] {
        let found = job(outside).efficiency().unwrap();
        assert!(close(found.load_balance, balance) && close(found.communication, communication), "{found:?}");
        assert!(close(found.openmp, 1.0) && close(found.parallel, balance * communication), "{found:?}");
    }
    let mut half = job(&[8, 4]);
    // The second thread of each rank does nothing.
    half.ranks.iter_mut().for_each(|rank| rank.useful_ns /= 2);
    let found = half.efficiency().unwrap();
    assert!(close(found.openmp, 0.5) && close(found.parallel, 0.3), "{found:?}");
    half.ranks[0].mpi_ns = None;
    assert_eq!((half.efficiency(), half.mpi_ns()), (None, None));
}

#[test]
fn a_rank_that_differs_is_found_and_one_within_the_spread_is_not() {
    let ranks = |outside: &[u64]| job(outside).differences().iter().map(|one| one.rank).collect::<Vec<_>>();
    assert_eq!(ranks(&[2, 2, 2, 9]), [3]);
    assert_eq!(ranks(&[9, 9, 1, 9, 9, 9]), [2]);
    assert_eq!(ranks(&[5, 5, 5, 5]), [] as [usize; 0]);
    // The ranks have a wide spread, and none of the times has a majority.
    assert_eq!(ranks(&[2, 9]), [] as [usize; 0]);
    assert_eq!(ranks(&[1, 3, 5, 7, 9]), [] as [usize; 0]);
    let mut waits = job(&[5, 5, 5]);
    waits.ranks[1].wait_ns = 4 * SECOND;
    let found = waits.differences();
    assert_eq!((found.len(), found[0].figure, found[0].ns, found[0].median_ns), (1, Figure::Wait, 2 * SECOND, 0));
}

#[test]
fn the_job_names_the_rank_and_the_place_that_differ() {
    let mut page = Page::default();
    super::text::render(&mut page, &job(&[2, 2, 2, 8]), false);
    let text = page.render(Paper::default());
    for line in [
        "Job of 4 ranks on one",
        "6.500 s (65.00 %) of a rank on average; least 2.000 s in rank 3, most 8.000 s in rank 2",
        "35.00 %",
        "load balance of the ranks 43.75 % x communication 80.00 %",
        "Differs: rank 3: outside of MPI 8.000 s; the median is 2.000 s",
        "in f: 4.000 s; the median is 1.000 s",
        "rank 3 is outside of MPI for 8.000 s, the mean is 3.500 s.",
        "That would save about 4.500 s, 45.00 % of the wall time.",
    ] {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&text).contains(&words(line)), "{line}: {text}");
    }
}

#[test]
fn one_rank_is_no_job_and_a_second_process_of_a_rank_no_rank() {
    let rank = |number, seconds| Rank { number, wall_ns: seconds * SECOND, ..Rank::default() };
    assert_eq!(Job::of(vec![rank(3, 1), rank(3, 2)], None), None);
    let job = Job::of(vec![rank(1, 1), rank(0, 1), rank(1, 2)], Some(4)).unwrap();
    assert_eq!(job.ranks.iter().map(|rank| (rank.number, rank.wall_ns / SECOND)).collect::<Vec<_>>(), [(0, 1), (1, 2)]);
}

#[test]
fn threads_that_come_one_after_the_other_are_one_at_a_time() {
    use super::most_at_once;
    assert_eq!(most_at_once([(0, 5), (5, 9), (5, 7)].into_iter()), 2);
    assert_eq!(most_at_once([].into_iter()), 0);
}

#[test]
fn a_rank_without_a_place_counts_as_zero_in_the_places_median() {
    let mut job = job(&[2, 4, 6, 8]);
    let place = |name: &str, ns| RegionTime { name: name.to_owned(), ns };
    // The first of two places with one name counts.
    job.ranks[3].places.extend([place("rare", 7), place("f", 1)]);
    for rank in &mut job.ranks[1..] {
        rank.places.push(place("common", 10 * u64::from(rank.number)));
    }
    let medians = job.medians();
    let of = |name: &str| medians.get(name).copied();
    assert_eq!((of("f"), of("rare"), of("common"), of("none")), (Some(5 * SECOND / 2), Some(0), Some(15), None));
    assert_eq!(job.ranks[3].costliest_place(&medians), Some(("f", 4 * SECOND, 5 * SECOND / 2)));
    assert_eq!(job.ranks[0].costliest_place(&medians), None);
}
