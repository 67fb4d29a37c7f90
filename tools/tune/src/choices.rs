//! Variables that are worth trying on a program, according to one run of it, the most promising first.

use std::ffi::OsStr;

use crate::schedule::RuntimeSchedule;
use crate::seen::Seen;

/// Variable that sets the number of threads of a team, unless the program does.
const NUMBER: &str = "OMP_NUM_THREADS";
/// Variable that limits it in any case.
const LIMIT: &str = "OMP_THREAD_LIMIT";

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
    schedule: RuntimeSchedule,
    /// The number of threads that `OMP_NUM_THREADS` asks for.
    asked: Option<u64>,
    /// True if the clause of the region with the most time sets the number.
    has_number: bool,
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
            team: seen.team(),
            is_nested: facts.regions.iter().any(|region| region.nested > 0),
            waits: (facts.all_ns - seen.work_ns + facts.ready_ns) / facts.all_ns.max(1.0),
            is_gnu: seen.is_gnu,
            schedule: RuntimeSchedule::of(seen, program),
            asked: asked(seen),
            has_number: has_number(seen),
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
        // Where the program sets the number, only a limit has an effect.
        let is_own = traits.has_number
            || match traits.asked {
                Some(asked) => asked != traits.team,
                None => traits.team != traits.processors,
            };
        let variable = if is_own && traits.team > 1 { LIMIT } else { NUMBER };
        let default = if wanted.is_some() { 0 } else { traits.team };
        let values =
            counts.into_iter().filter(|count| *count != default && (variable == NUMBER || *count < traits.team));
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
        let why = match traits.schedule {
            RuntimeSchedule::Possible => "",
            RuntimeSchedule::Absent => "no loop with schedule(runtime) was found in the program and its libraries",
            RuntimeSchedule::Unknown => {
                "it is not known whether a library that is loaded later has a loop with schedule(runtime)"
            }
        };
        if !why.is_empty() {
            self.left_out.push(format!("OMP_SCHEDULE: {why}"));
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

/// The number of threads that the user asks for, of regions that are not inside of others.
fn asked(seen: &Seen) -> Option<u64> {
    let (_, list) = seen.facts.settings.iter().find(|(name, _)| name == NUMBER)?;
    list.split(',').next()?.trim().parse().ok()
}

/// True if the region with the most time of a team has a number in its `num_threads` clause.
fn has_number(seen: &Seen) -> bool {
    let shared = seen.facts.regions.iter().filter(|region| region.threads > 1);
    let dearest = shared.max_by_key(|region| region.total_ns).and_then(|region| region.directive.as_ref());
    dearest.and_then(|it| it.num_threads.as_ref()).is_some_and(|argument| argument.parse::<u64>().is_ok())
}

impl Dimension {
    /// The smallest number of threads that its values ask for by `OMP_NUM_THREADS`; `None` if they don't.
    pub(crate) fn fewest(&self) -> Option<u64> {
        let numbers = self.values.iter().flatten().filter(|(name, _)| *name == NUMBER);
        numbers.filter_map(|(_, value)| value.parse().ok()).min()
    }

    /// The same numbers of threads as limits, which have an effect on a program that sets the number itself.
    pub(crate) fn as_limits(&self, team: u64) -> Self {
        let is_less = |value: &String| value.parse::<u64>().is_ok_and(|number| number < team);
        let numbers = self.values.iter().flatten().filter(|(name, value)| *name == NUMBER && is_less(value));
        Self { values: numbers.map(|(_, value)| vec![(LIMIT, value.clone())]).collect(), ..self.clone() }
    }
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
        assert_eq!(names(&Traits { schedule: RuntimeSchedule::Possible, ..traits() })[0].len(), 5);
        let left_out = |schedule| Choices::for_program(&Traits { schedule, ..traits() }, None).left_out;
        assert!(left_out(RuntimeSchedule::Absent)[0].contains("no loop with schedule(runtime) was found"));
        assert!(left_out(RuntimeSchedule::Unknown)[0].contains("not known"));
        let set = Traits { set: vec!["OMP_WAIT_POLICY".to_owned()], ..traits() };
        assert_eq!(names(&set)[0], ["GOMP_SPINCOUNT=10000"]);
    }

    #[test]
    fn too_many_threads_do_not_spin_and_get_a_limit() {
        let crowded = names(&Traits { team: 32, ..traits() });
        assert_eq!(crowded[1][0], "OMP_THREAD_LIMIT=8");
        assert_eq!(crowded[0], ["OMP_WAIT_POLICY=passive", "GOMP_SPINCOUNT=10000"]);
        let asked = |asked| Traits { team: 32, asked: Some(asked), ..traits() };
        assert_eq!(names(&asked(32))[1][0], "OMP_NUM_THREADS=8");
        assert_eq!(names(&asked(4))[1][0], "OMP_THREAD_LIMIT=8", "the program sets the number");
        let written = Traits { has_number: true, ..traits() };
        assert_eq!(
            names(&written)[1],
            ["OMP_THREAD_LIMIT=6", "OMP_THREAD_LIMIT=4", "OMP_THREAD_LIMIT=2", "OMP_THREAD_LIMIT=1"]
        );
    }
}
