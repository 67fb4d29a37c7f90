//! Time in which threads were ready to run without a processor, or slept in calls of the program: it is no work of the function in which the
//! next sample lies, so it gets functions of its own.

use profile_format::Moment;
use rustc_hash::FxHashMap;

use super::{Context, EMPTY, Point, Profile};
use crate::state::State;
use crate::user_model::View;

/// Name of that function, above the one that has lost its processor.
pub const NO_PROCESSOR: &str = "<waiting for a processor>";
/// Name of the function for sleep, called by the first function of the stack: which other one has slept is not known.
pub(crate) const ASLEEP: &str = "<asleep in calls or taskwaits>";
/// A sample is parted if the thread has waited, or slept, for more than one part in this many of its time.
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

/// Parts samples of threads that lost their processor or slept, as far as the kernel has counted that. The sample keeps the time that its
/// function ran; time without a processor is called by that function, and sleep by the first function of the stack. Functions of the C
/// library keep their sleep, as its calls sleep themselves. Machine stacks stay as they are.
pub(super) fn part(profile: &mut Profile) {
    if profile.view == View::Machine {
        return;
    }
    let mut parts = Parts::of(profile);
    let samples = std::mem::take(&mut profile.samples);
    if samples.iter().all(|point| parts.of_sample(profile, point) == [0, 0]) {
        profile.samples = samples;
        return;
    }
    for mut point in samples {
        for (part_ns, name) in parts.of_sample(profile, &point).into_iter().zip([NO_PROCESSOR, ASLEEP]) {
            if part_ns > 0 {
                let context = parts.context(profile, point.context, name);
                point.wall_ns -= part_ns;
                let at_ns = point.at_ns.saturating_sub(point.wall_ns);
                profile.samples.push(Point { context, at_ns, wall_ns: part_ns, cpu_ns: 0, is_part: true, ..point });
            }
        }
        profile.samples.push(point);
    }
}

/// Time of a sample in which its thread was busy without a processor. What threads slept in waits has samples of its own, at their ends.
fn off_ns_of(point: &Point) -> u64 {
    let is_one = is_busy(point.state) && !point.asleep && !point.is_part && point.moment == Moment::Tick;
    if is_one { point.wall_ns.saturating_sub(point.cpu_ns) } else { 0 }
}

/// Parts of samples: how each thread spent its time without a processor, and the contexts that were made so far.
struct Parts {
    /// For each thread: the part of its time without a processor for which it was ready; `None` if that isn't known.
    ready: Vec<Option<f64>>,
    /// Contexts of parts, by those of their samples.
    contexts: FxHashMap<(u32, &'static str), u32>,
    /// For contexts: true if their functions may have slept.
    sleepers: FxHashMap<u32, bool>,
}

impl Parts {
    fn of(profile: &Profile) -> Self {
        let mut off_ns = vec![0_u64; profile.threads.len()];
        for point in &profile.samples {
            let sum = off_ns.get_mut(point.thread as usize);
            sum.into_iter().for_each(|sum| *sum = sum.saturating_add(off_ns_of(point)));
        }
        let ready = |(thread, off_ns): (&super::ThreadFacts, u64)| {
            thread.ready_ns.map(|ready_ns| (ready_ns as f64 / off_ns.max(1) as f64).min(1.0))
        };
        let ready = profile.threads.iter().zip(off_ns).map(ready).collect();
        Self { ready, contexts: FxHashMap::default(), sleepers: FxHashMap::default() }
    }

    /// The times for which a sample's thread was ready without a processor, and for which it slept in another function: those that are worth a
    /// part, else 0.
    fn of_sample(&mut self, profile: &Profile, point: &Point) -> [u64; 2] {
        let off_ns = off_ns_of(point);
        let Some(Some(ready)) = self.ready.get(point.thread as usize).copied().filter(|_| off_ns > 0) else {
            return [0, 0];
        };
        let ready_ns = whole(off_ns as f64 * ready).min(off_ns);
        let asleep_ns = if self.may_have_slept(profile, point) { 0 } else { off_ns - ready_ns };
        [ready_ns, asleep_ns].map(|ns| if ns > point.wall_ns / MIN_WAITED_PART { ns } else { 0 })
    }

    /// True if the function of a sample may have slept itself: it is the C library's, or in no file.
    fn may_have_slept(&mut self, profile: &Profile, point: &Point) -> bool {
        if point.state != State::WORK && point.state != State::SERIAL {
            return true;
        }
        *self.sleepers.entry(point.context).or_insert_with(|| {
            let leaf = profile.frames(point.context).next().and_then(|frame| profile.code.frame(frame));
            leaf.is_none_or(|(_, function)| function.object.is_empty() || function.is_of_c_library())
        })
    }

    /// The context of a part of a sample with this context.
    fn context(&mut self, profile: &mut Profile, of: u32, name: &'static str) -> u32 {
        *self.contexts.entry((of, name)).or_insert_with(|| {
            let frame = profile.code.pseudo(name);
            let parent = if name == ASLEEP { first(profile, of) } else { of };
            profile.contexts.push(Context { parent, frame });
            u32::try_from(profile.contexts.len() - 1).unwrap_or(EMPTY)
        })
    }
}

/// The context of a stack's first function.
fn first(profile: &Profile, of: u32) -> u32 {
    let mut first = of;
    while let Some(context) = profile.contexts.get(first as usize).filter(|context| context.parent != EMPTY) {
        first = context.parent;
    }
    first
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a whole number")]
pub(crate) fn whole(ns: f64) -> u64 {
    ns as u64
}
