//! The job as text: the first lines of `ora stat` and of `ora report`.

use super::{Difference, Figure, Job, Rank};
use rustc_hash::FxHashMap;
use terminal::page::{Page, Tone};
use terminal::printable::Shown;
use terminal::quantity::{count, percent, time};

/// Largest number of differences that are shown.
const SHOWN: usize = 10;
/// Minimum savings of even shares of the ranks that are reported, as a part of the wall time.
const SAVES: f64 = 0.05;
/// Width of the fields' names.
const NAMES: usize = 14;

/// Appends the job. `all`: every difference.
pub fn render(out: &mut Page, job: &Job, all: bool) {
    out.heading(&format!("Job of {}", ranks(job)));
    out.field(3, "wall time", NAMES, &time(job.wall_ns() as f64));
    mpi(out, job);
    efficiency(out, job);
    let differences = job.differences();
    let shown = if all { usize::MAX } else { SHOWN };
    let (medians, has_hosts) = (job.medians(), job.hosts().len() > 1);
    for one in differences.iter().take(shown) {
        let text = job.ranks.get(one.rank).map_or_else(String::new, |rank| difference(&medians, has_hosts, rank, one));
        out.paragraph(3, "Differs: ", &text, Tone::Finding);
    }
    if let Some(more) = differences.len().checked_sub(shown).filter(|more| *more > 0) {
        out.text(3, &format!("and {more} more differences; --json has all ranks"));
    }
    if differences.is_empty() && job.ranks.len() > 2 {
        out.text(3, "no rank is far from the others");
    }
    if let Some(text) = uneven(job) {
        out.blank();
        out.paragraph(3, "Finding: ", &text, Tone::Finding);
    }
}

/// Sentence about ranks that have more to do than others, with what even shares would save.
fn uneven(job: &Job) -> Option<String> {
    let wall_ns = job.wall_ns() as f64;
    let longest = job.ranks.iter().max_by_key(|rank| rank.outside_mpi_ns())?;
    let longest_ns = longest.outside_mpi_ns()? as f64;
    let mean_ns = longest_ns * job.efficiency()?.load_balance;
    let saves_ns = longest_ns - mean_ns;
    (saves_ns >= SAVES * wall_ns).then(|| {
        format!(
            "the ranks have uneven shares: rank {} is outside of MPI for {}, the mean is {}. Share the work of the ranks more evenly. \
             That would save about {}, {} % of the wall time.",
            longest.number,
            time(longest_ns),
            time(mean_ns),
            time(saves_ns),
            percent(saves_ns, wall_ns)
        )
    })
}

fn ranks(job: &Job) -> String {
    let seen = job.ranks.len() as u64;
    let mut text = count(seen, "rank", "ranks");
    if let Some(announced) = job.announced.filter(|announced| u64::from(*announced) > seen) {
        text = format!("{announced} ranks, of which {seen} were seen");
    }
    match &job.hosts()[..] {
        [] => text,
        [host] => format!("{text} on {}", host.shown()),
        hosts => format!("{text} on {} machines", hosts.len()),
    }
}

fn mpi(out: &mut Page, job: &Job) {
    let Some((mpi_ns, (least, most))) = job.mpi_ns().zip(job.mpi_range()) else {
        let some = job.ranks.iter().any(|rank| rank.mpi_ns.is_some());
        let why = if some { "some ranks have no library of MPI" } else { "no library of MPI was seen in the ranks" };
        return out.field(3, "time in MPI", NAMES, &format!("not known: {why}"));
    };
    let of = |rank: &Rank| format!("{} in rank {}", time(rank.mpi_ns.unwrap_or_default() as f64), rank.number);
    let mean = format!("{} ({} %)", time(mpi_ns as f64), percent(mpi_ns as f64, job.wall_ns() as f64));
    let text = format!("{mean} of a rank on average; least {}, most {}", of(least), of(most));
    out.field(3, "time in MPI", NAMES, &text);
}

fn efficiency(out: &mut Page, job: &Job) {
    let Some(found) = job.efficiency() else { return };
    let [parallel, mpi, balance, communication, openmp] =
        [found.parallel, found.mpi, found.load_balance, found.communication, found.openmp].map(|one| percent(one, 1.0));
    let text =
        format!("{parallel} %   of threads x wall time the program's code ran, = MPI {mpi} % x OpenMP {openmp} %");
    out.field(3, "efficiency", NAMES, &text);
    let text = format!("MPI {mpi} % = load balance of the ranks {balance} % x communication {communication} %");
    out.field(3, "", NAMES, &text);
}

fn difference(medians: &FxHashMap<&str, u64>, has_hosts: bool, rank: &Rank, one: &Difference) -> String {
    let Difference { figure, ns, median_ns, .. } = *one;
    let what = match figure {
        Figure::Outside if rank.mpi_ns.is_some() => "outside of MPI",
        Figure::Outside => "wall time",
        Figure::Wait => "OpenMP Wait of a thread",
        Figure::NoProcessor => "time of a thread without a processor",
    };
    let host = rank.host.as_ref().filter(|_| has_hosts);
    let host = host.map_or_else(String::new, |host| format!(" on {}", host.shown()));
    let values = |ns: u64, median_ns: u64| format!("{}; the median is {}", time(ns as f64), time(median_ns as f64));
    let mut text = format!("rank {}{host}: {what} {}.", rank.number, values(ns, median_ns));
    if figure == Figure::Outside
        && ns > median_ns
        && let Some((place, ns, median_ns)) = rank.costliest_place(medians)
    {
        text += &format!(" Most of that is in {place}: {}.", values(ns, median_ns));
    }
    text
}
