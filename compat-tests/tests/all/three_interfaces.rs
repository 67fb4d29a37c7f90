//! A collector, a TR2 tool and an OpenMP 5 tool in one process: they agree on every region, task, thread and state. None of them is
//! affected when another one attaches, detaches or is absent.

use std::path::PathBuf;

use compat_tests::forge::{Forge, Language};
use compat_tests::run::{Launch, Outcome};
use compat_tests::suite::{is_short, whole_matrix};

const ROUNDS: &str = "40";

/// Tools that attach and detach: `ora` and `five` all the time, `five` once and for all (`finalize`), and `tr2` never.
const STORMS: [&str; 11] = [
    "ora",
    "five",
    "finalize",
    "tr2",
    "ora,five",
    "ora,finalize",
    "ora,tr2",
    "five,tr2",
    "finalize,tr2",
    "ora,five,tr2",
    "ora,five,finalize,tr2",
];

/// Tool: its name, and the numbers of its events that depend on chance, which are waits for mutexes, and the ends of threads, as the
/// process may end first.
const TOOLS: [(&str, &[usize]); 3] =
    [("ora", &[9, 10, 11, 12, 13, 14, 21, 22]), ("five", &[2]), ("tr2", &[6, 46, 47, 48, 49, 50])];

/// Event numbers of TR2 for each kind of wait: its start, its end, and the start of the region that contains it. Each task that the thread
/// executes in a wait interrupts it, and chance decides where a task is executed.
const WAITS: [[usize; 3]; 3] = [[11, 12, 39], [13, 14, 41], [15, 16, 43]];

/// Index of the first of a tool's own counters, after those of its events.
const OWN: usize = 60;

struct Court {
    forge: Forge,
    libraries: Vec<PathBuf>,
    load: PathBuf,
    /// Output of the program alone.
    alone: Vec<u8>,
}

impl Court {
    fn open() -> Self {
        let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
        let flags = ["-O2", "-g", "-shared", "-fPIC", "-pthread", "-Iside", "-Wl,--as-needed"];
        let judge = forge.build(Language::C11, &["side/judge.c"], &flags, ".so");
        let with_judge = |source: &str| forge.link(Language::of(source), &[source], &flags, &[&judge], ".so");
        let tools = ["side/collector.c", "side/tool_tr2.cc", "side/tool_5.cc"].map(with_judge);
        let libraries = [judge.clone()].into_iter().chain(tools).collect();
        let load = forge.build(Language::C11, &["side/load.c"], &["-O2", "-g", "-fopenmp", "-pthread"], "");
        let alone = Launch::of(&forge, &load).arg(ROUNDS).run().succeeded().stdout.clone();
        Self { forge, libraries, load, alone }
    }

    /// Runs the program under all three; none of them may report an error, and the program's output must be the same.
    fn hear(&self, storm: &str, seed: u32, environment: &[(&str, &str)]) -> Outcome {
        let launch = Launch::of(&self.forge, &self.load).arg(ROUNDS);
        let launch = environment.iter().fold(launch, |launch, (name, value)| launch.env(name, value));
        let launch = launch.env("SIDE_STORM", storm).env("SIDE_SEED", &seed.to_string()).with_ora();
        let outcome = self.libraries.iter().fold(launch, |launch, library| launch.with_tool(library)).run().succeeded();
        assert!(outcome.stderr.is_empty(), "{}", outcome.describe());
        assert_eq!(outcome.stdout, self.alone, "{}", outcome.describe());
        outcome
    }

    fn seeds(storm: &str) -> std::ops::Range<u32> {
        match storm {
            // One tool is alone again and again, a state that is stored in two words.
            "ora,finalize" if is_short() => 0..12,
            "ora,finalize" => 0..60,
            _ if whole_matrix() => 0..20,
            _ => 0..2,
        }
    }
}

/// Counts of a tool's events, except for those that depend on chance.
fn sure(outcome: &Outcome, tool: &str) -> Vec<u64> {
    let by_chance = TOOLS.iter().find(|(name, _)| *name == tool).map_or(&[][..], |(_, numbers)| numbers);
    let mut counts = outcome.callback_counts(tool);
    // For TR2 a thread of the pool is idle until it ends. If the process ends first, the end of its last idle time is missing as well.
    if let (true, [_, _, _, _, _, begun, ended, _, _, idle, active, ..]) = (tool == "tr2", &mut counts[..]) {
        *active += (*idle).saturating_sub(*active).min(begun.saturating_sub(*ended));
    }
    if tool == "tr2" {
        add_waits_up(&mut counts);
    }
    let kept = counts.iter().enumerate().filter(|(number, _)| *number < OWN && !by_chance.contains(number));
    kept.map(|(_, count)| *count).collect()
}

/// Adds up the starts of all waits: each region waits once, and once more after each task, wherever it is executed.
fn add_waits_up(counts: &mut [u64]) {
    let mut sum = 0;
    for [begin, end, region] in WAITS {
        let of = |number: usize| counts.get(number).copied().unwrap_or(0);
        assert_eq!(of(begin), of(end), "TR2's events {begin} and {end}: {counts:?}");
        assert!(of(begin) >= of(region), "TR2's events {begin} and {region}: {counts:?}");
        sum += of(begin);
        for number in [begin, end] {
            counts.get_mut(number).into_iter().for_each(|count| *count = 0);
        }
    }
    if let Some(count) = counts.get_mut(WAITS[0][0]) {
        *count = sum;
    }
}

/// True if a tool stays attached in this case.
fn spares(storm: &str, tool: &str) -> bool {
    !storm.split(',').any(|who| who == tool || (who == "finalize" && tool == "five"))
}

#[test]
fn three_tools_agree_on_where_every_event_happens() {
    let court = Court::open();
    let outcome = court.hear("", 0, &[]);
    let agreed = outcome.callback_counts("judge");
    // Counters of agreement between each pair of interfaces, and of each interface with its own events.
    for number in [2, 3, 4, 10, 11, 12] {
        assert!(
            agreed.get(number).is_some_and(|count| *count > 10_000),
            "{number}: {agreed:?}: {}",
            outcome.describe()
        );
    }
    // All three received each region and each task.
    let [ora, five, tr2] = [("ora", [1, 33]), ("five", [3, 5]), ("tr2", [1, 3])].map(|(tool, numbers)| {
        let counts = outcome.callback_counts(tool);
        numbers.map(|number| counts.get(number).copied().unwrap_or(0))
    });
    assert!(ora.iter().all(|count| *count > 300), "{ora:?}");
    assert_eq!((ora, five), (five, tr2), "{}", outcome.describe());
}

#[test]
#[ignore = "slow: --all runs it"]
fn none_of_three_tools_notices_when_others_come_and_go() {
    let court = Court::open();
    let calm = court.hear("", 0, &[]);
    for storm in STORMS {
        let mut comes_and_goes = false;
        for seed in Court::seeds(storm) {
            let outcome = court.hear(storm, seed, &[]);
            for (tool, _) in TOOLS {
                let [calm, now] = [&calm, &outcome].map(|outcome| sure(outcome, tool));
                assert!(!calm.is_empty() && calm.len() == now.len(), "{tool}: {}", outcome.describe());
                if spares(storm, tool) {
                    assert_eq!(calm, now, "{storm} {seed}: {tool}: {}", outcome.describe());
                } else {
                    comes_and_goes |= calm != now;
                }
            }
            let finalized = outcome.callback_counts("five").get(63).copied();
            assert_eq!(finalized, Some(1), "{storm} {seed}: {}", outcome.describe());
        }
        assert!(comes_and_goes, "{storm}: not a storm");
    }
}

/// Members of a team leave their last barrier unseen if it could be cancelled, so they report late.
#[test]
#[ignore = "slow: --all runs it"]
fn three_tools_agree_where_members_of_a_team_tell_late() {
    let court = Court::open();
    for environment in [("OMP_CANCELLATION", "true"), ("ORA_IBAR", "late"), ("OMP_WAIT_POLICY", "active")] {
        for storm in ["", "ora", "ora,five", "ora,five,tr2"] {
            court.hear(storm, 1, &[environment]);
        }
    }
}
