//! More OpenMP threads than processors.

use terminal::quantity::count;

use super::fewer_threads::{Fewer, fewer};
use super::without_processor::{PASSIVE, others, ready};
use crate::facts::Facts;
use crate::finding::Finding;

/// Without other programs, threads of a team that is too large are ready for at most this many times as long as the
/// team's size explains.
const ALONE: f64 = 1.3;

/// True if several runtimes have pools that fit the processors, each.
pub(super) fn are_pools(facts: &Facts, processors: f64) -> bool {
    facts.runtimes.len() > 1 && facts.team() as f64 <= processors.ceil()
}

/// Several threads for each processor.
pub(super) fn crowded(facts: &Facts, processors: f64) -> Finding {
    let ready = ready(facts);
    let allowed = if processors == 1.0 { "1 processor".to_owned() } else { format!("{processors} processors") };
    let what = format!("{} OpenMP threads for {allowed}", facts.team_threads);
    let sleep = if facts.threads_sleep() {
        String::new()
    } else {
        format!(", or let threads that wait sleep {}", facts.runtime_kind.by(PASSIVE))
    };
    if are_pools(facts, processors) {
        let runtimes = count(facts.runtimes.len() as u64, "runtime", "runtimes");
        let what = format!("{what}, of {runtimes} with a pool each ({})", facts.runtimes.join(", "));
        let measure = if sleep.is_empty() { "" } else { facts.runtime_kind.measure() };
        let fix = format!("threads were {ready}. Use one runtime{sleep}{measure}");
        return Finding::new("two_runtimes", facts.ready_ns, what, fix);
    }
    if let Some(value) = bound_together(facts) {
        let fix = format!(
            "threads were {ready}. OMP_PROC_BIND={value} binds each thread that starts regions to the first place, {} threads here: unset \
             it, or bind them apart",
            facts.owners()
        );
        return Finding::new("crowded", facts.ready_ns, what, fix);
    }
    let Fewer { setting, why, measure } = fewer(facts, processors);
    let others = others(facts);
    // Threads of a team that fits the processors spin for longer, which takes more processor time from other threads.
    let fix = match (is_alone(facts, processors), facts.runtime_kind.reads_settings()) {
        (true, _) => format!("threads were {ready}. Try {setting}, or allow it as many processors{measure}{why}"),
        (false, true) if measure.is_empty() => {
            format!("threads were {ready}, while {others} used the processors as well. Try {setting}")
        }
        (false, true) if sleep.is_empty() => format!(
            "threads were {ready}, while {others} used the processors as well. `ora tune` measures whether fewer threads are \
             faster beside these: {setting}{why}"
        ),
        (false, true) => format!(
            "threads were {ready}, while {others} used the processors as well. `ora tune` measures whether sleeping threads \
             ({PASSIVE}) or fewer are faster beside these: {setting}{why}"
        ),
        (false, false) => format!(
            "threads were {ready}, while {others} used the processors as well. Try {setting}, or let threads that wait sleep"
        ),
    };
    Finding::new("crowded", facts.ready_ns, what, fix)
}

/// The value of `OMP_PROC_BIND` with which libgomp binds all threads that the program has created itself to one place
/// when they start regions.
pub(super) fn bound_together(facts: &Facts) -> Option<&str> {
    let is_libgomp = facts.runtimes.iter().all(|name| name.contains("libgomp"));
    let value = facts.setting("OMP_PROC_BIND").filter(|value| !value.eq_ignore_ascii_case("false"));
    value.filter(|_| is_libgomp && facts.owners() > 1)
}

/// True if the team's size alone explains for how long threads lacked a processor.
fn is_alone(facts: &Facts, processors: f64) -> bool {
    let threads = facts.team_threads as f64;
    facts.ready_ns <= ALONE * facts.running_ns * (threads - processors).max(0.0) / processors.max(1.0)
}
