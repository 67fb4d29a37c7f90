//! Variables that are worth trying on a program, according to one run of it, the most promising first.

use std::ffi::OsStr;
use std::path::Path;

use linking::image::Image;
use linking::search_path;

use crate::seen::Seen;

/// Part of the threads' time from which on waits, idle times and times without a processor are worth shortening.
const WAITS: f64 = 0.02;

/// Values of a variable, or of several related variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dimension {
    pub(crate) values: Vec<Vec<(&'static str, String)>>,
    /// True if they only affect the threads of a team.
    pub(crate) is_of_teams: bool,
    /// True if the best value may depend on the number of threads: the values are tried with all threads, and again if another number is
    /// faster.
    pub(crate) is_of_number: bool,
}

/// Variables to try, and those that were omitted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    pub(crate) dimensions: Vec<Dimension>,
    /// Sentences that say what isn't tried, and why.
    pub(crate) left_out: Vec<String>,
}

/// Program, as far as the choice depends on it.
#[derive(Clone, Debug, Default)]
struct Traits {
    /// Number of processors that it may use.
    processors: u64,
    team: u64,
    is_nested: bool,
    /// Part of the threads' time in which they wait, are idle, or lack a processor.
    waits: f64,
    is_gnu: bool,
    has_runtime_schedule: bool,
    /// Variables that the user has set.
    set: Vec<String>,
}

impl Choices {
    /// Chooses variables for a program that has been observed. `program` is the first word of its command line; `threads` are the numbers
    /// of threads that the user wants to try.
    pub fn of(seen: &Seen, program: &OsStr, threads: Option<&[u32]>) -> Self {
        let facts = &seen.facts;
        let traits = Traits {
            processors: whole(facts.processors.unwrap_or(facts.online.unwrap_or(1) as f64).ceil()).max(1),
            team: facts.regions.iter().map(|region| region.threads).max().unwrap_or(1),
            is_nested: facts.regions.iter().any(|region| region.nested > 0),
            waits: (facts.all_ns - seen.work_ns + facts.ready_ns) / facts.all_ns.max(1.0),
            is_gnu: seen.is_gnu,
            has_runtime_schedule: has_runtime_schedule(Path::new(program)),
            set: facts.settings.iter().map(|(name, _)| name.clone()).collect(),
        };
        if !facts.runtime_kind.reads_settings() {
            let why =
                "every setting: the regions run on a runtime that need not read them, of the program's own or not seen";
            return Self { left_out: vec![why.to_owned()], ..Self::default() };
        }
        Self::for_program(&traits, threads)
    }

    fn for_program(traits: &Traits, threads: Option<&[u32]>) -> Self {
        let mut choices = Self::default();
        // If shares are too small, fewer threads also make fewer shares, which would hide the gain from a schedule for all threads.
        choices.schedule(traits);
        choices.waits(traits);
        choices.threads(traits, threads);
        choices.binding(traits);
        choices
    }

    fn threads(&mut self, traits: &Traits, wanted: Option<&[u32]>) {
        let counts: Vec<u64> = match wanted {
            Some(wanted) => wanted.iter().copied().map(u64::from).collect(),
            None => fewer(traits.team.max(traits.processors), traits.processors),
        };
        // If the program or the user sets the number, another limit is used.
        let is_set = traits.set.iter().any(|name| name == "OMP_NUM_THREADS");
        let variable = if !is_set && traits.team != traits.processors && traits.team > 1 {
            "OMP_THREAD_LIMIT"
        } else {
            "OMP_NUM_THREADS"
        };
        let default = if wanted.is_some() { 0 } else { traits.team };
        let values = counts.into_iter().filter(|count| *count != default);
        self.add(values.map(|count| vec![(variable, count.to_string())]).collect(), false);
        if traits.is_nested {
            self.add(vec![vec![("OMP_MAX_ACTIVE_LEVELS", "1".to_owned())]], true);
        }
    }

    fn waits(&mut self, traits: &Traits) {
        if traits.waits < WAITS {
            self.left_out.push("how threads wait: they hardly do".to_owned());
            return;
        }
        let mut values = vec![vec![("OMP_WAIT_POLICY", "passive".to_owned())]];
        // Spinning threads without a processor take it from those that work.
        if traits.team <= traits.processors {
            values.push(vec![("OMP_WAIT_POLICY", "active".to_owned())]);
        }
        if traits.is_gnu {
            values.push(vec![("GOMP_SPINCOUNT", "10000".to_owned())]);
        } else {
            values.push(vec![("KMP_BLOCKTIME", "0".to_owned())]);
        }
        let is_set =
            |values: &Vec<(&str, String)>| values.iter().any(|(name, _)| traits.set.iter().any(|set| set == name));
        values.retain(|values| !is_set(values));
        if !values.is_empty() {
            self.dimensions.push(Dimension { values, is_of_teams: true, is_of_number: true });
        }
    }

    fn schedule(&mut self, traits: &Traits) {
        if !traits.has_runtime_schedule {
            self.left_out.push("OMP_SCHEDULE: the program has no loop with schedule(runtime)".to_owned());
            return;
        }
        let values = ["static", "dynamic", "dynamic,16", "dynamic,128", "guided"];
        self.add(values.map(|value| vec![("OMP_SCHEDULE", value.to_owned())]).into(), true);
    }

    fn binding(&mut self, traits: &Traits) {
        if traits.processors < 2 || traits.team < 2 {
            self.left_out.push("binding: there is one thread, or one processor".to_owned());
            return;
        }
        let bind = |how: &str, places: &str| vec![("OMP_PROC_BIND", how.to_owned()), ("OMP_PLACES", places.to_owned())];
        let mut values = vec![bind("close", "threads")];
        if traits.processors > 2 {
            values.push(bind("spread", "cores"));
        }
        self.add(values, true);
    }

    fn add(&mut self, values: Vec<Vec<(&'static str, String)>>, is_of_teams: bool) {
        if !values.is_empty() {
            self.dimensions.push(Dimension { values, is_of_teams, is_of_number: false });
        }
    }
}

/// Numbers of threads up to `most`: all processors, three quarters, a half, a quarter, and one.
pub(crate) fn fewer(most: u64, processors: u64) -> Vec<u64> {
    let mut counts = vec![processors, processors * 3 / 4, processors / 2, processors / 4, 1];
    counts.retain(|count| *count > 0 && *count <= most);
    counts.dedup();
    counts
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of processors")]
fn whole(count: f64) -> u64 {
    count as u64
}

/// True if code generated by gcc in the program's file has a loop whose schedule is set by `OMP_SCHEDULE`.
fn has_runtime_schedule(program: &Path) -> bool {
    let image = search_path::file(program).and_then(|path| Image::read(&path).ok()).unwrap_or_default();
    image.imports.iter().any(|name| name.starts_with("GOMP_") && name.contains("loop") && name.contains("runtime"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(traits: &Traits) -> Vec<Vec<String>> {
        let of = |dimension: &Dimension| {
            dimension.values.iter().map(|value| format!("{}={}", value[0].0, value[0].1)).collect()
        };
        Choices::for_program(traits, None).dimensions.iter().map(of).collect()
    }

    fn traits() -> Traits {
        Traits { processors: 8, team: 8, waits: 0.5, is_gnu: true, ..Traits::default() }
    }

    #[test]
    fn what_a_run_has_shown_decides() {
        let all = names(&traits());
        assert_eq!(all[0], ["OMP_WAIT_POLICY=passive", "OMP_WAIT_POLICY=active", "GOMP_SPINCOUNT=10000"]);
        assert_eq!(all[1], ["OMP_NUM_THREADS=6", "OMP_NUM_THREADS=4", "OMP_NUM_THREADS=2", "OMP_NUM_THREADS=1"]);
        assert_eq!(all[2], ["OMP_PROC_BIND=close", "OMP_PROC_BIND=spread"]);
        assert_eq!(names(&Traits { waits: 0.01, ..traits() }).len(), 2);
        assert_eq!(names(&Traits { is_nested: true, ..traits() })[2], ["OMP_MAX_ACTIVE_LEVELS=1"]);
        assert_eq!(names(&Traits { has_runtime_schedule: true, ..traits() })[0].len(), 5);
        let set = Traits { set: vec!["OMP_WAIT_POLICY".to_owned()], ..traits() };
        assert_eq!(names(&set)[0], ["GOMP_SPINCOUNT=10000"]);
    }

    #[test]
    fn too_many_threads_do_not_spin_and_get_a_limit() {
        let crowded = names(&Traits { team: 32, ..traits() });
        assert_eq!(crowded[1][0], "OMP_THREAD_LIMIT=8");
        assert_eq!(crowded[0], ["OMP_WAIT_POLICY=passive", "GOMP_SPINCOUNT=10000"]);
        let asked = Traits { team: 32, set: vec!["OMP_NUM_THREADS".to_owned()], ..traits() };
        assert_eq!(names(&asked)[1][0], "OMP_NUM_THREADS=8");
    }
}
