//! Processes of a recording that share the processors.

use profile_analysis::together::{self, Life};
use rustc_hash::FxHashMap;

use crate::Timeline;

/// Notes in each timeline the processes that lived at the same time, those on the same processors.
pub fn note(timelines: &mut [Timeline]) {
    let lives: Vec<_> = timelines.iter().filter(|it| !it.regions.is_empty()).map(life).collect();
    let (mut begins, mut ends): (Vec<u64>, Vec<u64>) = lives.iter().map(|it| it.span_ns).unzip();
    begins.sort_unstable();
    ends.sort_unstable();
    // The processes of a job begin and end together: most have the same ones beside them.
    let mut known = FxHashMap::default();
    let mut among = |subject: &Timeline| {
        let (begin, end) = span_ns(subject);
        // They are those that begin before its end, except those that end before its beginning.
        let key = (begins.partition_point(|it| *it < end), ends.partition_point(|it| *it <= begin));
        *known.entry(key).or_insert_with(|| {
            let overlaps = |it: &&Life<'_>| it.span_ns.0 < end && begin < it.span_ns.1;
            together::of(&lives.iter().filter(overlaps).cloned().collect::<Vec<_>>())
        })
    };
    let found: Vec<_> = timelines.iter().map(&mut among).collect();
    for (timeline, together) in timelines.iter_mut().zip(found) {
        timeline.together = together;
    }
}

fn span_ns(timeline: &Timeline) -> (u64, u64) {
    (timeline.facts.real_ns(timeline.begin_ns), timeline.facts.real_ns(timeline.end_ns))
}

fn life(timeline: &Timeline) -> Life<'_> {
    let real_ns = |ns| timeline.facts.real_ns(ns);
    let members = timeline.threads.iter().filter(|thread| matches!(thread.kind, 1 | 2));
    Life {
        facts: &timeline.facts,
        span_ns: span_ns(timeline),
        threads_ns: members.map(|thread| (real_ns(thread.begin_ns), real_ns(thread.end_ns))).collect(),
        running_ns: timeline.facts.scheduled_ns.map_or(0, |[running_ns, _]| running_ns),
    }
}

#[cfg(test)]
mod tests {
    use profile_analysis::input::Facts;

    use super::*;
    use crate::{Region, Thread};

    fn process(begin_ns: u64, end_ns: u64) -> Timeline {
        let thread = Thread { kind: 1, begin_ns, end_ns, ..Thread::default() };
        let facts = Facts { processors: Some(2), ..Facts::default() };
        Timeline {
            begin_ns,
            end_ns,
            facts,
            threads: vec![thread.clone(), Thread { kind: 2, ..thread }],
            regions: vec![Region::default()],
            ..Timeline::default()
        }
    }

    #[test]
    fn each_process_knows_those_of_its_time() {
        let mut all = [process(0, 10), process(5, 15), process(20, 30)];
        note(&mut all);
        let counts = all.map(|it| it.together.map(|it| (it.processes, it.threads)));
        assert_eq!(counts, [Some((2, 4)), Some((2, 4)), None]);
    }
}
