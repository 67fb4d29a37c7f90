//! Rank of this process under a launcher (MPI, Slurm).

use std::env;

use profile_format::variable::RANKS;

/// Rank, if `ora` itself was started by a launcher.
pub(crate) fn rank() -> Option<String> {
    rank_of(|name| env::var(name).ok())
}

/// Rank, if there are several.
pub(crate) fn one_of_several() -> Option<String> {
    one_of_several_by(|name| env::var(name).ok())
}

fn rank_of(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    RANKS.iter().filter_map(|(rank, _)| variable(rank.to_str().ok()?)).find(|rank| rank.parse::<u32>().is_ok())
}

fn one_of_several_by(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let numbers = RANKS.iter().filter_map(|(_, ranks)| variable(ranks.to_str().ok()?)?.parse::<u32>().ok());
    let several = numbers.max().is_some_and(|ranks| ranks > 1);
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
            (&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")], Some("0"), None),
            (&[("PMI_RANK", "x"), ("PMI_SIZE", "2")], None, None),
            (&[], None, None),
        ] {
            assert_eq!(rank_of(set(pairs)).as_deref(), rank, "{pairs:?}");
            assert_eq!(one_of_several_by(set(pairs)).as_deref(), of_several, "{pairs:?}");
        }
    }
}
