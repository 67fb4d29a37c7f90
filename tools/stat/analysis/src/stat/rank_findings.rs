//! Findings of a job: those of its ranks, each shown once.

use profile_analysis::job::Job;
use terminal::page::{Page, Tone};

use super::facts;
use super::report::Shown;

/// Maximum number of findings shown for a job.
const SHOWN: usize = 3;

/// One finding, shared by several ranks.
struct OfRanks {
    id: &'static str,
    place: Option<advice::Place>,
    ranks: Vec<u32>,
    /// The rank in which a fix would save the most, its savings, and the text about it.
    rank: u32,
    saves_ns: f64,
    text: String,
}

/// Appends the findings that would save the most.
pub(super) fn render(out: &mut Page, job: &Job, processes: &[Shown<'_>]) {
    let mut found: Vec<OfRanks> = Vec::new();
    for Shown { process, figures } in processes {
        let Some(rank) = job.ranks.iter().find(|rank| rank.pid == Some(process.who.pid)) else { continue };
        let mut facts = facts::of(process, figures);
        // Time in MPI can't be made parallel.
        let (mpi_ns, mpi_cpu_ns) = (rank.mpi_ns.unwrap_or(0) as f64, rank.mpi_cpu_ns as f64);
        facts.serial_ns = (facts.serial_ns - mpi_cpu_ns).max(0.0);
        let off_ns = (mpi_ns - mpi_cpu_ns).max(0.0);
        facts.serial_asleep_ns = facts.serial_asleep_ns.map(|ns| (ns - off_ns).max(0.0));
        // The finding about all processes together is reported elsewhere.
        for finding in advice::findings(&facts).into_iter().filter(|it| it.id != advice::PROCESSES) {
            let saves_ns = finding.saves_ns.unwrap_or_default();
            let text = finding.text(facts.wall_ns);
            match found.iter_mut().find(|known| known.id == finding.id && known.place == finding.place) {
                Some(known) => {
                    known.ranks.push(rank.number);
                    if saves_ns > known.saves_ns {
                        (known.rank, known.saves_ns, known.text) = (rank.number, saves_ns, text);
                    }
                }
                None => found.push(OfRanks {
                    id: finding.id,
                    place: finding.place,
                    ranks: vec![rank.number],
                    rank: rank.number,
                    saves_ns,
                    text,
                }),
            }
        }
    }
    found.sort_by(|one, other| other.saves_ns.total_cmp(&one.saves_ns));
    if !found.is_empty() {
        out.blank();
    }
    for OfRanks { ranks, rank, text, .. } in found.into_iter().take(SHOWN) {
        let of = match ranks.len() {
            1 => format!("in rank {rank}"),
            all if all == job.ranks.len() => format!("in all ranks, here in rank {rank}"),
            some => format!("in {some} ranks, here in rank {rank}"),
        };
        out.paragraph(3, "Finding: ", &format!("{of}: {text}"), Tone::Finding);
    }
}
