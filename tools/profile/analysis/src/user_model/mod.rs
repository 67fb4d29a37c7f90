//! User-model callstack synthesis: from machine stacks to the stacks of the program as its author knows it (white
//! paper, section 6).
//!
//! In a region a thread's own part of the stack extends from the leaf to the runtime's call of the program's code. It
//! is put on top of the region's preface: the user-model stack of the master at the fork, which is constructed in the
//! same way if the fork was in another region. So all threads of a team have the same stacks, starting from the
//! program's start. Frames of the runtime and of `ora` are removed; the runtime's activity on behalf of the program
//! becomes a function such as `<OMP-lock_wait>` on top.

mod calls;
mod frames;
mod interpreter;
mod region;
mod step;
#[cfg(test)]
mod tests;

use profile_format::{Cut, Moment, Sample};
use rustc_hash::FxHashMap;

use crate::input::{Kind, Process};
use crate::state::State;
pub use calls::{Calls, Node, ROOT};
use frames::{Frame, InRegion};
pub use interpreter::PYTHON;
pub use region::Place;
use region::Places;
pub use step::Step;

/// Name below a stack whose lower frames are missing.
pub const TRUNCATED: &str = "<truncated stack>";
/// Name in place of a stack that is not in the file.
pub const NO_STACK: &str = "<no stack>";
/// Name for the time before and after a thread's calls of the program's code.
pub const START_AND_END: &str = "<start and end>";

/// Name for the time before the profile began: dynamic linking, and what libraries do before the collector is loaded.
pub const START_UP: &str = "<before the profile began: start-up, dynamic linking>";

/// Name for time outside regions for which a thread slept at an unknown place.
pub const ASLEEP: &str = "<asleep outside of OpenMP>";

/// True if a sample represents sleep outside of regions. Other times measured there have CPU time.
pub fn is_asleep(sample: &Sample) -> bool {
    let outside = sample.region == 0 && matches!(State(sample.state), State::NONE | State::SERIAL);
    outside && sample.moment == Moment::WaitEnd && sample.cpu_ns == 0
}

/// True if a sample represents sleep in a region's work. Its stack is that of the next wait.
fn is_asleep_at_work(sample: &Sample) -> bool {
    let at_work = sample.region != 0 && State(sample.state) == State::WORK;
    at_work && sample.moment == Moment::WaitEnd && sample.cpu_ns == 0
}

/// Kind of the stacks that are shown, named as in Sun's and GNU's analyzers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum View {
    /// Stacks of the program as its author knows it.
    #[default]
    User,
    /// Workers' stacks are joined to their masters', and the runtime's frames are kept.
    Expert,
    /// Machine stacks, unchanged.
    Machine,
}

/// Synthesizes the stacks of a process.
#[derive(Debug)]
pub struct UserModel<'p> {
    process: &'p Process,
    view: View,
    calls: Calls,
    places: Places,
    kinds: FxHashMap<(u64, u32), Kind>,
    known: FxHashMap<Key, (Node, State)>,
}

/// Cache key: samples with the same key have the same stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    stack: u32,
    place: Option<u32>,
    master: bool,
    state: State,
    /// True if the thread slept in work.
    asleep: bool,
    era: u32,
}

/// Stack, state and region of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Node of its stack.
    pub node: Node,
    /// State of the thread: the sample's, or [`State::RUNTIME`].
    pub state: State,
    /// Place of its region, an index in [`UserModel::places`].
    pub place: Option<u32>,
    /// True if the file lacks the sample's region, or an enclosing one.
    pub lost: bool,
}

impl<'p> UserModel<'p> {
    /// Creates the synthesis for a process.
    pub fn new(process: &'p Process, view: View) -> Self {
        let (calls, places) = (Calls::default(), Places::default());
        Self { process, view, calls, places, kinds: FxHashMap::default(), known: FxHashMap::default() }
    }

    /// Stack, state and region of a sample of the process.
    pub fn spot(&mut self, sample: &Sample) -> Spot {
        if is_asleep(sample) {
            let node = self.calls.below(ROOT, Step::Pseudo(ASLEEP));
            return Spot { node, state: State::SERIAL, place: None, lost: false };
        }
        let era = self.process.objects.era(sample.at_ns);
        let place = if sample.region == 0 { None } else { self.region(sample.region, era) };
        let complete = place.is_none_or(|place| self.places.get(place).is_some_and(|place| place.complete));
        let lost = sample.region != 0 && (place.is_none() || !complete);
        let master = place.is_some() && self.process.region(sample.region).is_some_and(|r| r.thread == sample.thread);
        let asleep = is_asleep_at_work(sample);
        let key = Key { stack: sample.stack, place, master, state: State(sample.state), asleep, era };
        let (node, state) = match self.known.get(&key) {
            Some(known) => *known,
            None => {
                let found = self.stack(key);
                self.known.insert(key, found);
                found
            }
        };
        Spot { node, state, place, lost }
    }

    /// The calling context tree so far.
    pub fn calls(&self) -> &Calls {
        &self.calls
    }

    /// The places of regions so far.
    pub fn places(&self) -> &[Place] {
        self.places.list()
    }

    /// Functions that the runtime has called in a region, as far as samples show them: its body, and tasks.
    pub fn bodies(&self, place: u32) -> &[Step] {
        self.places.bodies(place)
    }

    /// Runtime functions by which the program starts a region, and waits at its barriers, as far as samples show
    /// them.
    pub fn entries(&self, place: u32) -> &[Step] {
        self.places.entries(place)
    }

    /// Node of a stack, and state of the thread there.
    fn stack(&mut self, key: Key) -> (Node, State) {
        if let (State::IDLE, View::User, Some(idle)) = (key.state, self.view, key.state.pseudo()) {
            return (self.calls.below(ROOT, Step::Pseudo(idle)), key.state);
        }
        let (frames, whole) = self.frames(key.stack, key.era);
        let works = !key.state.waits() && !key.asleep;
        let place = key.place.and_then(|place| self.places.get(place).copied());
        let found = place.and_then(|place| self.split(&frames, whole, &place, key.master, works, key.era));
        if let (Some(number), Some(body)) = (key.place, found.and_then(|found| found.own.last())) {
            self.places.called(number, body.step(key.era));
        }
        let barrier = matches!(key.state, State::IMPLICIT_BARRIER | State::EXPLICIT_BARRIER);
        let entry = frames::leaf(&frames).checked_sub(1).and_then(|entry| frames.get(entry));
        if let (true, Some(number), Some(entry)) = (barrier, key.place, entry) {
            self.places.entered(number, entry.step(key.era));
        }
        let busy = matches!(key.state, State::WORK | State::SERIAL) && !key.asleep;
        // Of a thread without an event the library says that it works.
        let is_outside = matches!(key.state, State::NONE | State::SERIAL | State::WORK) && key.place.is_none();
        let is_blind = self.process.objects.has_linked_runtime();
        let unseen = if is_outside && !key.asleep { frames::before_events(&frames, whole, is_blind) } else { None };
        let in_runtime = || busy && frames::in_runtime(&frames, found);
        let state = unseen.unwrap_or_else(|| if in_runtime() { State::RUNTIME } else { key.state });
        let pseudo = state.pseudo().filter(|_| self.view == View::User).map(Step::Pseudo);
        let inside = match (place, found) {
            (Some(place), Some(found)) if self.view != View::Machine => {
                let kept = if self.view == View::User { found.own } else { found.full };
                Some(self.with(place.preface, kept.iter().filter(|frame| !frame.is_own()), key.era))
            }
            (Some(place), None) if frames.is_empty() => Some(place.preface),
            _ => self.outside(&frames, whole, key.era, self.view == View::User),
        };
        let node = match (inside.filter(|node| *node != ROOT), pseudo) {
            (inside, Some(pseudo)) => self.calls.below(inside.unwrap_or(ROOT), pseudo),
            (Some(inside), None) => inside,
            (None, None) if self.view == View::User && whole && frames.iter().any(Frame::is_runtime) => {
                self.calls.below(ROOT, Step::Pseudo(START_AND_END))
            }
            // Only the system's code or, in other views, the runtime's: better than nothing.
            (None, None) => match self.outside(&frames, whole, key.era, false) {
                Some(node) => node,
                None => self.calls.below(ROOT, Step::Pseudo(NO_STACK)),
            },
        };
        (node, state)
    }

    /// The part of a stack that belongs to a region.
    fn split<'f>(
        &mut self,
        frames: &'f [Frame],
        whole: bool,
        place: &Place,
        master: bool,
        works: bool,
        era: u32,
    ) -> Option<InRegion<'f>> {
        let fork = master.then(|| self.frames(place.fork, era).0);
        frames::in_region(frames, fork.as_deref(), works, whole)
    }

    /// Node of a stack outside regions, or in an unknown one. `None` if no frame is left.
    fn outside(&mut self, frames: &[Frame], whole: bool, era: u32, without_runtime: bool) -> Option<Node> {
        let skipped = if without_runtime { frames::leaf(frames) } else { 0 };
        let rest = frames.get(skipped..).unwrap_or_default();
        // Frames above an event callback of the collector are not part of the program, in any view.
        let called = rest.iter().take_while(|frame| frame.is_own()).count();
        let view = self.view;
        let kept = rest.iter().skip(called).filter(move |frame| match view {
            View::User => !(without_runtime && frame.is_runtime()),
            View::Expert => !frame.is_own(),
            View::Machine => true,
        });
        // Below the runtime of a worker there is only the start of a thread.
        let nothing = if skipped > 0 {
            kept.clone().all(|frame| !frame.kind.is_program())
        } else {
            kept.clone().next().is_none()
        };
        if nothing {
            return None;
        }
        let root = if whole { ROOT } else { self.calls.below(ROOT, Step::Pseudo(TRUNCATED)) };
        Some(self.with(root, kept, era))
    }

    /// Extends a stack by calls of the view; the leaf is the first of them.
    fn with<'f>(&mut self, node: Node, frames: impl DoubleEndedIterator<Item = &'f Frame>, era: u32) -> Node {
        if self.view != View::User {
            return self.calls.with(node, frames, era);
        }
        let frames: Vec<&Frame> = frames.rev().collect();
        interpreter::fold(&frames, era).into_iter().fold(node, |node, step| self.calls.below(node, step))
    }

    /// Frames of a stack; true if none are missing.
    fn frames(&mut self, stack: u32, era: u32) -> (Vec<Frame>, bool) {
        let Some(stack) = self.process.stack(stack) else { return (Vec::new(), true) };
        let at_ns = self.process.objects.time_in(era);
        let frames = stack.addresses.iter().enumerate().map(|(number, address)| {
            let (address, returns) = (*address, number > 0);
            // A call may be the last instruction of its function.
            let within = if returns { address.saturating_sub(1) } else { address };
            let kind = *self.kinds.entry((within, era)).or_insert_with(|| self.process.kind(within, at_ns));
            Frame { address, returns, kind }
        });
        (frames.collect(), stack.cut == Cut::Whole)
    }
}
