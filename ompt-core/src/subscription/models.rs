//! loom models of subscriptions of two interfaces: `RUSTFLAGS="--cfg loom" cargo test -p ompt-core --lib --release`

use super::*;
use crate::event::Span;
use loom::sync::Arc;
use loom::thread;

/// The number of each interface, in place of its dispatch table.
static FACE: [usize; FACES] = [0, 1, 2];

const ONE: usize = 0;
const OTHER: usize = 1;

/// The span that is raised for each interface.
const SPANS: [Span; 2] = [Span::PARALLEL, Span::LOCK_WAIT];

/// The subscription of each interface; the other one's includes the first one's.
const WANTS: [EventSet; 2] = [SPANS[ONE].events(), SPANS[ONE].events().union(SPANS[OTHER].events())];

/// Callbacks of an interface's sessions, of the old and of the new one.
const OLD: usize = 0x10;
const NEW: usize = 0x20;

/// Two interfaces with a callback each.
struct Faces {
    levels: Levels<usize>,
    callbacks: [Callback; 2],
}

impl Faces {
    /// Both interfaces have a session; those in `wanting` are subscribed to their events.
    fn with(wanting: &[usize]) -> Self {
        let levels = Levels::none(&FACE[0]);
        levels.faces().iter().zip(&FACE).for_each(|(face, number)| face.install(number));
        let faces = Self { levels, callbacks: [Callback::none(), Callback::none()] };
        for face in [ONE, OTHER] {
            faces.levels.faces()[face].watcher.open();
            faces.callbacks[face].set(OLD + face);
        }
        wanting.iter().for_each(|face| faces.resume(*face));
        faces
    }

    fn resume(&self, face: usize) {
        self.levels.want(face, || WANTS[face]);
    }

    fn pause(&self, face: usize) {
        self.levels.want(face, || EventSet::NONE);
    }

    /// The calls STOP, START and REGISTER of an interface.
    fn begin_next_session(&self, face: usize) {
        self.pause(face);
        self.callbacks[face].set(0);
        self.levels.faces()[face].watcher.open();
        self.callbacks[face].set(NEW + face);
        self.resume(face);
    }

    /// The callback that the span's begin invokes for this interface, and the session that gets the end. The steps are
    /// those of `Thread::begin_armed` and the functions behind it.
    fn begin(&self, face: usize) -> Option<(usize, u32)> {
        if !self.levels.armed(SPANS[face].events()) {
            return None;
        }
        let (number, epoch) = match self.levels.sole() {
            Some((number, epoch)) => (*number, epoch),
            None => (face, self.levels.faces()[face].hearing(SPANS[face].begin)?),
        };
        let callback = (number == face).then(|| self.deliver(face, epoch)).flatten()?;
        Some((callback, epoch))
    }

    /// The callback that the span's end invokes, where the session of that epoch was notified of the begin.
    fn end(&self, face: usize, epoch: u32) -> Option<usize> {
        if !self.levels.armed(EventSet::of(&[SPANS[face].end])) {
            return None;
        }
        match self.levels.sole() {
            Some((number, _)) => (*number == face).then(|| self.deliver(face, epoch)).flatten(),
            None => self.levels.faces()[face].hearing(SPANS[face].end).and_then(|_| self.deliver(face, epoch)),
        }
    }

    fn deliver(&self, face: usize, epoch: u32) -> Option<usize> {
        self.callbacks[face].of_session(&self.levels.faces()[face].watcher, epoch)
    }

    fn is_heard(&self, face: usize) -> bool {
        self.begin(face).is_some()
    }
}

/// Runs both at once, then checks the interfaces as they are afterwards. Each of the two once runs on the thread that
/// loom starts with: only so can the other one's reads come late.
fn at_once(faces: fn() -> Faces, one: fn(&Faces), other: fn(&Faces), afterwards: fn(&Faces)) {
    for (first, second) in [(one, other), (other, one)] {
        // With more than two preemptions some models would take minutes.
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(2);
        model.check(move || {
            let faces = Arc::new(faces());
            let thread = {
                let faces = faces.clone();
                thread::spawn(move || second(&faces))
            };
            first(&faces);
            thread.join().unwrap();
            afterwards(&faces);
        });
    }
}

fn nothing(_: &Faces) {}

fn nobody() -> Faces {
    Faces::with(&[])
}

fn one() -> Faces {
    Faces::with(&[ONE])
}

fn both() -> Faces {
    Faces::with(&[ONE, OTHER])
}

#[test]
fn who_begins_to_want_an_event_hears_the_next_one_whoever_else_does() {
    let want_one = |it: &Faces| {
        it.resume(ONE);
        assert!(it.is_heard(ONE));
    };
    let want_other = |it: &Faces| {
        it.resume(OTHER);
        assert!(it.is_heard(OTHER));
    };
    at_once(nobody, want_one, want_other, |it| assert!(it.is_heard(ONE) && it.is_heard(OTHER)));
}

#[test]
fn who_wants_no_more_hears_nothing_more_whoever_else_changes_his_mind() {
    let pause = |it: &Faces| {
        it.pause(ONE);
        assert!(!it.is_heard(ONE));
    };
    at_once(both, pause, |it| it.pause(OTHER), |it| assert!(!it.levels.armed(EventSet::from_bits(u64::MAX))));
    at_once(one, pause, |it| it.resume(OTHER), |it| assert!(it.is_heard(OTHER) && !it.is_heard(ONE)));
}

#[test]
fn who_goes_on_wanting_loses_nothing_when_another_one_comes_or_goes() {
    let events = |it: &Faces| assert!(it.is_heard(ONE));
    at_once(one, events, |it| it.resume(OTHER), nothing);
    at_once(both, events, |it| it.pause(OTHER), nothing);
}

#[test]
fn a_silenced_face_hears_nothing_whatever_is_asked_for_meanwhile() {
    let silence = |it: &Faces| {
        it.levels.silence(ONE);
        assert!(!it.is_heard(ONE));
    };
    let silent = |it: &Faces| assert!(!it.is_heard(ONE));
    at_once(one, silence, |it| it.resume(ONE), silent);
    at_once(both, silence, |it| it.pause(OTHER), silent);
    at_once(one, silence, |it| it.resume(OTHER), silent);
}

#[test]
fn an_end_goes_to_the_session_that_has_heard_its_begin() {
    let span = |it: &Faces| {
        let begun = it.begin(ONE);
        let ended = begun.and_then(|(_, epoch)| it.end(ONE, epoch));
        assert!(ended.is_none() || ended == begun.map(|(callback, _)| callback));
    };
    at_once(one, span, |it| it.begin_next_session(ONE), nothing);
    at_once(both, span, |it| it.begin_next_session(ONE), nothing);
}

#[test]
fn two_that_speak_for_one_face_lose_nothing() {
    /// A tool that registers on several threads at once.
    struct Tool {
        levels: Levels<usize>,
        registered: AtomicU64,
    }
    fn register(it: &Tool, span: Span) {
        it.registered.fetch_or(span.events().bits(), SeqCst);
        it.levels.want(ONE, || EventSet::from_bits(it.registered.load(SeqCst)));
        assert!(it.levels.armed(span.events()) && it.levels.faces()[ONE].hearing(span.begin).is_some());
    }
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let tool = Arc::new(Tool { levels: Levels::none(&FACE[0]), registered: AtomicU64::new(0) });
        let thread = {
            let tool = tool.clone();
            thread::spawn(move || register(&tool, SPANS[0]))
        };
        register(&tool, SPANS[1]);
        thread.join().unwrap();
        assert!(tool.levels.armed(SPANS[0].events()) && tool.levels.armed(SPANS[1].events()));
    });
}
