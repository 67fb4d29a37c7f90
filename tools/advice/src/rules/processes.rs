//! Several processes that share the processors.

use terminal::quantity::count;

use super::fewer_threads::{Fewer, teams_of};
use super::wake_ups::wake_ups_ns;
use super::without_processor::{PASSIVE, ready};
use crate::facts::{Facts, Together};
use crate::finding::Finding;

/// Identifier of the finding.
pub const ID: &str = "processes";

/// The finding about the processes of a run.
pub(super) fn finding(facts: &Facts, Together { processes, threads, processors }: Together) -> Finding {
    let allowed = count(processors, "processor", "processors");
    let what =
        format!("{processes} processes with {threads} OpenMP threads for {allowed}: threads were {}", ready(facts));
    let each = (processors / processes.max(1)).max(1);
    let Fewer { setting, why, measure } = teams_of(facts, each);
    let mut cures = Vec::new();
    if facts.team() > each {
        cures.push(format!("give each process fewer threads ({setting})"));
    }
    if processes > processors || cures.is_empty() {
        cures.push("start fewer processes at a time".to_owned());
    }
    let spun_ns = facts.spun_idle_ns + facts.spun_at_barriers_ns;
    if !facts.threads_sleep() && spun_ns > wake_ups_ns(facts) {
        cures.push(format!("let threads that wait sleep {}", facts.runtime_kind.by(PASSIVE)));
    }
    let end = if facts.team() > each { format!("{measure}{why}") } else { String::new() };
    Finding::new(ID, facts.ready_ns, what, cures.join(", or ") + &end)
}
