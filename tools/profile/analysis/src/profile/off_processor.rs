//! Time in which threads were ready to run without a processor: it is nobody's work, so it gets a function of its own.

use profile_format::Moment;
use rustc_hash::FxHashMap;

use super::{Context, EMPTY, Point, Profile};
use crate::state::State;
use crate::user_model::View;

/// Name of that function, above the one that has lost its processor.
pub const NO_PROCESSOR: &str = "<waiting for a processor>";
/// A sample is parted if the thread has waited for more than one part in this many of its time.
const MIN_WAITED_PART: u64 = 16;

/// For each thread: the part of its busy time without a processor for which it was ready to run. For the rest it
/// slept in calls of the program. 1 if that isn't known.
pub(crate) fn ready(profile: &Profile) -> Vec<f64> {
    let off_ns = busy_off_processor_ns(profile);
    let part = |(thread, off_ns): (&super::ThreadFacts, u64)| match thread.ready_ns {
        Some(ready_ns) if ready_ns < off_ns => ready_ns as f64 / off_ns as f64,
        _ => 1.0,
    };
    profile.threads.iter().zip(off_ns).map(part).collect()
}

/// Time for which each thread was busy without being on a processor.
pub(crate) fn busy_off_processor_ns(profile: &Profile) -> Vec<u64> {
    let mut off_ns = vec![0_u64; profile.threads.len()];
    for point in profile.samples.iter().filter(|point| is_busy(point.state) && !point.asleep) {
        let off = point.wall_ns.saturating_sub(point.cpu_ns);
        off_ns.get_mut(point.thread as usize).into_iter().for_each(|sum| *sum = sum.saturating_add(off));
    }
    off_ns
}

/// True for states that are not a wait, including the runtime's own code.
pub(crate) fn is_busy(state: State) -> bool {
    !state.waits() || state == State::RUNTIME
}

/// Parts samples of threads that lost their processor, as far as the kernel has counted that: the sample keeps the time that its
/// function ran or slept, and the rest becomes a part with the same callers. Machine stacks stay as they are.
pub(super) fn part(profile: &mut Profile) {
    if profile.view == View::Machine {
        return;
    }
    // What a thread slept has samples of its own, at the ends of waits.
    let off_ns = |point: &Point| {
        let is_one = is_busy(point.state) && !point.asleep && !point.is_part && point.moment == Moment::Tick;
        if is_one { point.wall_ns.saturating_sub(point.cpu_ns) } else { 0 }
    };
    let mut of_threads = vec![0_u64; profile.threads.len()];
    for point in &profile.samples {
        let sum = of_threads.get_mut(point.thread as usize);
        sum.into_iter().for_each(|sum| *sum = sum.saturating_add(off_ns(point)));
    }
    let parts = profile.threads.iter().zip(of_threads).map(|(thread, off_ns)| {
        thread.ready_ns.map_or(0.0, |ready_ns| (ready_ns as f64 / off_ns.max(1) as f64).min(1.0))
    });
    let parts: Vec<f64> = parts.collect();
    let waited_ns = |point: &Point| {
        let part = parts.get(point.thread as usize).copied().unwrap_or(0.0);
        Some(whole(off_ns(point) as f64 * part).min(point.wall_ns)).filter(|ns| *ns > point.wall_ns / MIN_WAITED_PART)
    };
    let samples = std::mem::take(&mut profile.samples);
    if samples.iter().all(|point| waited_ns(point).is_none()) {
        profile.samples = samples;
        return;
    }
    let frame = profile.code.pseudo(NO_PROCESSOR);
    let mut contexts = FxHashMap::default();
    for mut point in samples {
        if let Some(waited_ns) = waited_ns(&point) {
            let context = *contexts.entry(point.context).or_insert_with_key(|parent| {
                profile.contexts.push(Context { parent: *parent, frame });
                u32::try_from(profile.contexts.len() - 1).unwrap_or(EMPTY)
            });
            point.wall_ns -= waited_ns;
            let at_ns = point.at_ns.saturating_sub(point.wall_ns);
            profile.samples.push(Point { context, at_ns, wall_ns: waited_ns, cpu_ns: 0, is_part: true, ..point });
        }
        profile.samples.push(point);
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a whole number")]
pub(crate) fn whole(ns: f64) -> u64 {
    ns as u64
}
