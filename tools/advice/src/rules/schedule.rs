//! The schedule that is written at a region's loop, and the one that would give its threads more even shares.

use crate::directive::Directive;
use crate::facts::{Facts, Region};
use crate::runtime_kind::RuntimeKind;

/// Smaller chunks would cost more than even shares save.
pub(super) const DYNAMIC: &str =
    "try schedule(dynamic) with chunks of some 10 us of work or more, or parts of more even size";
/// If even shares would save more than this number of average chunks in each region, one of its chunks is much longer than the others.
const CHUNKS: f64 = 4.0;
/// With a larger number of chunks for each thread, on average, a loop's chunks are assigned while it runs.
const SEVERAL: u64 = 2;
const LONG_CHUNK: &str = "its loop is shared out dynamically: make its longest iterations smaller";

/// The remedy according to the region's directive. `None` if the directive doesn't specify the shares.
pub(super) fn remedy(facts: &Facts, region: &Region, directive: &Directive) -> Option<String> {
    if let Some(construct) = &directive.without_schedule {
        return Some(match construct.as_str() {
            "sections" => "its work is sections: split the longest one".to_owned(),
            _ => format!("share its work out in parts of more even size (`{construct}` can't have a schedule clause)"),
        });
    }
    if !directive.is_loop {
        return None;
    }
    if directive.has_macro {
        return Some("share its work out in parts of more even size".to_owned());
    }
    let schedule = directive.schedule.as_deref().unwrap_or_default();
    if schedule.eq_ignore_ascii_case("runtime") {
        return Some(of_environment(facts, region));
    }
    if directive.is_guided() {
        return Some(format!("its loop has schedule({schedule}), whose first chunks are the largest: {DYNAMIC}"));
    }
    if has_long_chunk(region) {
        return Some(LONG_CHUNK.to_owned());
    }
    Some(match directive.kind_and_chunk() {
        Some((_, chunk)) if chunk > 1 => {
            format!(
                "its loop has schedule({schedule}): make the chunks smaller, so that there are several for each thread"
            )
        }
        None if directive.named_chunk().is_some() => {
            format!(
                "its loop has schedule({schedule}): try a smaller {}, so that there are several chunks for each thread",
                directive.named_chunk().unwrap_or_default()
            )
        }
        _ if directive.is_dynamic() => LONG_CHUNK.to_owned(),
        _ => DYNAMIC.to_owned(),
    })
}

/// True if one of the region's chunks is much longer than the others: then larger ones would be worse.
pub(super) fn has_long_chunk(region: &Region) -> bool {
    let chunk_ns = region.shares_ns as f64 / region.chunks as f64;
    region.chunks > 0 && region.gain_ns as f64 > CHUNKS * region.ended as f64 * chunk_ns
}

/// The remedy for a loop whose schedule the environment sets, or the program while it runs. Which one is not known, nor its schedule.
fn of_environment(facts: &Facts, region: &Region) -> String {
    let set = facts.setting("OMP_SCHEDULE").map(ScheduleValue::of);
    let is_dynamic = match &set {
        Some(set) => set.kind == "dynamic",
        // Without the variable, it is that of libgomp ("GNU libgomp", OMP_SCHEDULE).
        None => facts.runtime_kind == RuntimeKind::Gnu,
    };
    let chunk = set.map_or(1, |set| set.chunk);
    if is_dynamic && chunk > 1 && !has_long_chunk(region) {
        return "its loop has schedule(runtime): make the chunks of OMP_SCHEDULE smaller, so that there are several for each thread"
            .to_owned();
    }
    // A static schedule has one chunk for each thread.
    let has_several = region.chunks > SEVERAL * region.ended * region.threads;
    if is_dynamic && has_several && has_long_chunk(region) {
        return LONG_CHUNK.to_owned();
    }
    "its loop has schedule(runtime), which OMP_SCHEDULE sets, or the program by omp_set_schedule: try dynamic there with chunks of \
     some 10 us of work or more (OMP_SCHEDULE=dynamic,N), or parts of more even size"
        .to_owned()
}

/// A value of `OMP_SCHEDULE` (OpenMP 5.2, 21.2.1).
struct ScheduleValue {
    kind: String,
    chunk: u64,
}

impl ScheduleValue {
    fn of(value: &str) -> Self {
        let (kind, chunk) = value.split_once(',').unwrap_or((value, ""));
        let kind = kind.rsplit(':').next().unwrap_or(kind).trim().to_ascii_lowercase();
        Self { kind, chunk: chunk.trim().parse().unwrap_or(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The remedy for a loop with this schedule.
    fn fix_of(schedule: Option<&str>, facts: &Facts, region: &Region) -> Option<String> {
        let schedule = schedule.map(str::to_owned);
        remedy(facts, region, &Directive { is_loop: true, schedule, ..Directive::default() })
    }

    #[test]
    fn the_schedule_that_is_written_decides_about_the_remedy() {
        let fix = |schedule| fix_of(schedule, &Facts::default(), &Region::default()).unwrap();
        let large = fix(Some("static, 1000"));
        assert!(large.contains("schedule(static, 1000): make the chunks smaller"), "{large}");
        assert!(fix(Some("dynamic")).contains("longest iterations"));
        for guided in ["guided", "guided, 100"] {
            assert!(
                fix(Some(guided))
                    .contains("first chunks are the largest: try schedule(dynamic) with chunks of some 10 us")
            );
        }
        assert!(fix(Some("dynamic, CHUNK")).contains("try a smaller CHUNK"));
        assert!(fix(None).contains("try schedule(dynamic)"));
        assert!(fix(Some("static, 1")).contains("try schedule(dynamic)"));
        assert_eq!(remedy(&Facts::default(), &Region::default(), &Directive::default()), None);
    }

    #[test]
    fn a_loop_with_a_macro_gets_no_schedule() {
        let directive = Directive { is_loop: true, has_macro: true, ..Directive::default() };
        let fix = remedy(&Facts::default(), &Region::default(), &directive).unwrap();
        assert!(fix.contains("more even size") && !fix.contains("schedule("), "{fix}");
    }

    #[test]
    fn chunks_that_are_small_already_are_not_to_be_smaller() {
        // 5,000 chunks of 40 us on average.
        let of = |gain_ns| Region { ended: 1, chunks: 5_000, shares_ns: 200_000_000, gain_ns, ..Region::default() };
        let fix = |gain_ns| fix_of(Some("dynamic, 4"), &Facts::default(), &of(gain_ns)).unwrap();
        assert!(fix(127_000_000).contains("longest iterations"), "one of them is long");
        assert!(fix(100_000).contains("make the chunks smaller"), "the last of them is");
    }

    #[test]
    fn a_schedule_of_the_environment_is_changed_there() {
        let fix = |region: &Region, value: &str| {
            let settings = vec![("OMP_SCHEDULE".to_owned(), value.to_owned())];
            let facts = Facts { settings, runtime_kind: RuntimeKind::Gnu, ..Facts::default() };
            fix_of(Some("runtime"), &facts, region).unwrap()
        };
        // One of 200,000 iterations is long; of two shares one is.
        let region = Region { ended: 1, threads: 2, shares_ns: 200_000_000, gain_ns: 100_000_000, ..Region::default() };
        for (chunks, value, says) in [
            (200_000, "dynamic,1", "longest iterations"),
            (200_000, "nonmonotonic:dynamic", "longest iterations"),
            (200_000, "", "dynamic,N"),
            (2, "dynamic", "dynamic,N"),
            (2, "static", "dynamic,N"),
            (12, "guided", "dynamic,N"),
            (4, "dynamic, 50000", "make the chunks of OMP_SCHEDULE smaller"),
        ] {
            let text = fix(&Region { chunks, ..region.clone() }, value);
            assert!(text.contains(says), "{chunks} {value}: {text}");
        }
    }

    #[test]
    fn constructs_without_schedules_get_none() {
        let fix = |construct: &str| {
            let without_schedule = Some(construct.to_owned());
            let directive = Directive { is_loop: true, without_schedule, ..Directive::default() };
            remedy(&Facts::default(), &Region::default(), &directive).unwrap()
        };
        assert!(fix("sections").contains("split the longest one"));
        for construct in ["loop", "workshare", "reduction(inscan)"] {
            assert!(!fix(construct).contains("schedule(") && fix(construct).contains(construct), "{construct}");
        }
    }
}
