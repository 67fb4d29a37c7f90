//! The schedule that is written at a region's loop, and the one that would give its threads more even shares.

use crate::directive::Directive;
use crate::facts::{Facts, Region};

/// Smaller chunks would cost more than even shares save.
pub(super) const DYNAMIC: &str =
    "try schedule(dynamic) with chunks of some 10 us of work or more, or parts of more even size";
/// If even shares would save more than this number of average chunks in each region, one of its chunks is much longer than the others.
const CHUNKS: f64 = 4.0;

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
    let schedule = directive.schedule.as_deref().unwrap_or_default();
    let is_runtime = schedule.eq_ignore_ascii_case("runtime");
    if is_runtime && !is_set_dynamic(facts) && region.chunks == 0 {
        return Some("its loop has schedule(runtime): try OMP_SCHEDULE=dynamic, or parts of more even size".to_owned());
    }
    if is_runtime || region.chunks > 0 && region.gain_ns as f64 > CHUNKS * region.ended as f64 * chunk_ns(region) {
        return Some("its loop is shared out dynamically: make its longest iterations smaller".to_owned());
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
        _ if directive.is_guided() => {
            format!("its loop has schedule({schedule}), whose first chunks are the largest: try schedule(dynamic)")
        }
        _ if directive.is_dynamic() => {
            "its loop is shared out dynamically: make its longest iterations smaller".to_owned()
        }
        _ => DYNAMIC.to_owned(),
    })
}

/// The average running time for a chunk of the region's loops.
fn chunk_ns(region: &Region) -> f64 {
    region.shares_ns as f64 / region.chunks as f64
}

/// True if the environment sets a schedule that assigns chunks while the loop runs.
fn is_set_dynamic(facts: &Facts) -> bool {
    let is_it = |value: &str| ["dynamic", "guided"].iter().any(|kind| value.to_ascii_lowercase().contains(kind));
    facts.setting("OMP_SCHEDULE").is_some_and(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RuntimeKind;

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
        assert!(fix(Some("guided")).contains("first chunks are the largest: try schedule(dynamic)"));
        assert!(fix(Some("dynamic, CHUNK")).contains("try a smaller CHUNK"));
        assert!(fix(None).contains("try schedule(dynamic)"));
        assert!(fix(Some("static, 1")).contains("try schedule(dynamic)"));
        assert_eq!(remedy(&Facts::default(), &Region::default(), &Directive::default()), None);
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
        let fix = |value: &str| {
            let settings = vec![("OMP_SCHEDULE".to_owned(), value.to_owned())];
            let facts = Facts { settings, runtime_kind: RuntimeKind::Gnu, ..Facts::default() };
            fix_of(Some("runtime"), &facts, &Region::default()).unwrap()
        };
        assert!(fix("dynamic,1").contains("longest iterations"));
        assert!(fix("static").contains("try OMP_SCHEDULE=dynamic"));
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
