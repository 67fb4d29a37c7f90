//! Rank of this process under a launcher (MPI, Slurm).

use std::env;

/// Variables for the rank and for the number of ranks: Open MPI, MPICH and others through PMI, PMIx, Slurm.
const LAUNCHERS: [(&str, &str); 4] = [
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("PMIX_RANK", "PMIX_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
];

/// Rank, if `ora` itself was started by a launcher.
pub(crate) fn rank() -> Option<String> {
    rank_of(|name| env::var(name).ok())
}

/// Rank, if there are several.
pub(crate) fn one_of_several() -> Option<String> {
    one_of_several_by(|name| env::var(name).ok())
}

fn rank_of(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    LAUNCHERS.iter().filter_map(|(rank, _)| variable(rank)).find(|rank| rank.parse::<u32>().is_ok())
}

fn one_of_several_by(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let several = LAUNCHERS.iter().filter_map(|(_, ranks)| variable(ranks)?.parse::<u32>().ok()).any(|ranks| ranks > 1);
    rank_of(variable).filter(|_| several)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_is_one_of_several_where_the_launcher_says_so() {
        let set = |pairs: &'static [(&str, &str)]| {
            move |name: &str| pairs.iter().find(|(of, _)| *of == name).map(|(_, value)| (*value).to_owned())
        };
        for (pairs, rank, of_several) in [
            (&[("PMI_RANK", "3"), ("PMI_SIZE", "4")][..], Some("3"), Some("3")),
            (&[("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "1")], Some("0"), None),
            (&[("SLURM_PROCID", "0")], Some("0"), None),
            (&[("PMI_RANK", "x"), ("PMI_SIZE", "2")], None, None),
            (&[], None, None),
        ] {
            assert_eq!(rank_of(set(pairs)).as_deref(), rank, "{pairs:?}");
            assert_eq!(one_of_several_by(set(pairs)).as_deref(), of_several, "{pairs:?}");
        }
    }
}
