//! Interpreter of files: decodes their bytes to steps, and plays the steps.
#![allow(unsafe_code)] // forks

use crate::arena::Place;
use crate::buffer;
use crate::callbacks::callbacks;
use crate::calls::{call, call_long, call_nowhere, probe, without_files};
use crate::collector::{control, register};
use crate::helper_threads::{lend, on_a_fresh_thread};
use crate::model::{FRESH, OTHER, Standing, WORKER, with};
use crate::reader::Reader;
use crate::reference::Here;
use crate::runtime::{self, Team};
use runtimes::embed::types::EmbedTask;

/// Maximum number of steps in a file.
const STEPS: usize = 48;
/// Maximum number of costly steps, in files whose first byte is at least [`COSTLY_FROM`].
const COSTLY: u8 = 3;
const COSTLY_FROM: u8 = 240;
/// First byte from which a file starts with a session that can't detect its collector's layout.
const EITHER_FROM: u8 = 252;
/// Number of steps for which a forked child continues.
const STEPS_OF_A_CHILD: usize = 6;
/// Maximum depth of nested constructs.
const DEPTH: usize = 10;

/// Steps that are allowed for a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Freedom {
    /// All steps.
    All,
    /// Only steps of a signal handler or another library: the thread is in the pool, or waits for a mutex.
    Calls,
}

struct Player<'a> {
    choices: Reader<'a>,
    steps: usize,
    depth: usize,
    fresh: usize,
    long: usize,
    tasks: Vec<(Box<EmbedTask>, u64)>,
}

/// Plays a file. [`set_up`](crate::setup::set_up) must have been called once.
///
/// # Panics
/// If the library's behaviour differs from the expectation.
pub fn play(file: &[u8]) {
    with(crate::model::Model::reset);
    let mut player =
        Player { choices: Reader::new(file), steps: STEPS, depth: 0, fresh: 1, long: 2, tasks: Vec::new() };
    player.prologue();
    // If the library is turned off, a runtime's reports have no expected effect.
    let freedom = if with(|model| model.session.disabled) { Freedom::Calls } else { Freedom::All };
    player.block(freedom, None);
    player.epilogue();
}

impl Player<'_> {
    /// Opens a session with many callbacks, as files commonly start.
    fn prologue(&mut self) {
        let choice = self.choices.byte();
        with(|model| model.costly = if choice < COSTLY_FROM { 0 } else { COSTLY });
        if choice >= EITHER_FROM {
            call(&buffer::one(0, 0), Place::AtTheEnd);
            let event = self.choices.byte() % 8 + 1;
            return call(&buffer::register_either(event), Place::AtTheEnd);
        }
        if choice & 1 != 0 {
            call(&buffer::one(0, 0), Place::AtTheEnd);
        }
        if choice & 2 != 0 {
            let mut array = Vec::new();
            for event in 1..36 {
                array.truncate(array.len().saturating_sub(4));
                let callback = callbacks().plain.get(usize::from(choice / 4 + event) % 3).copied().unwrap_or(0);
                array.extend(buffer::register(event, callback));
            }
            call(&array, Place::AtTheEnd);
        }
    }

    /// Returns the threads to their initial states.
    fn epilogue(&mut self) {
        call(&buffer::one(6, 0), Place::AtTheEnd);
        match with(|model| model.threads[WORKER].standing) {
            Standing::Barrier(..) => lend(WORKER, &mut runtime::pooled),
            Standing::Left(_) => runtime::parallel(
                |team| {
                    lend(WORKER, &mut || {
                        runtime::member(team, || {});
                        runtime::pooled();
                    });
                },
                || {},
            ),
            _ => {}
        }
    }

    fn block(&mut self, freedom: Freedom, team: Option<Team>) {
        if self.depth == DEPTH {
            return;
        }
        self.depth += 1;
        while !self.choices.is_done() && self.steps > 0 {
            self.steps -= 1;
            with(|model| model.counts.steps += 1);
            let step = self.choices.byte() % 40;
            if step >= 37 {
                break;
            }
            if step < 16 {
                self.call(step);
            } else if step == 36 {
                self.costly(freedom, team);
            } else if freedom == Freedom::All {
                self.construct(step, team);
            }
        }
        self.depth -= 1;
    }

    fn call(&mut self, step: u8) {
        match step {
            0..=3 => {
                let place = self.place();
                call(&buffer::array(&mut self.choices), place);
            }
            4 | 5 => {
                let place = self.place();
                call(&buffer::raw(&mut self.choices), place);
            }
            6 if self.long > 0 => {
                self.long -= 1;
                call_long(buffer::long(&mut self.choices));
            }
            7 => call_nowhere(usize::from(self.choices.byte() % 4)),
            8 | 9 => {
                let request = self.choices.choose(&[3, 4, 5, 9, 10]);
                let room = self.choices.byte() % 7 * 4;
                call(&buffer::one(request, room), Place::AtTheEnd);
            }
            10 | 11 => register(&mut self.choices),
            12 => control(&mut self.choices),
            13 => {
                let number = usize::from(self.choices.byte());
                let program = self.choices.take(number / 4 % 24).to_vec();
                with(|model| {
                    let count = model.programs.len();
                    if let Some(place) = model.programs.get_mut(number % count) {
                        *place = program;
                    }
                });
            }
            _ => probe(),
        }
    }

    fn place(&mut self) -> Place {
        match self.choices.byte() % 8 {
            0..=4 => Place::AtTheEnd,
            5 | 6 => Place::AtTheStart,
            _ => Place::Beside(1 + usize::from(self.choices.byte() % 3)),
        }
    }

    fn construct(&mut self, step: u8, team: Option<Team>) {
        match step {
            16..=18 => self.region(),
            19..=21 => {
                let kind = i32::from(self.choices.byte() % 10) - i32::from(self.depth == 3);
                let id = u64::from(self.choices.byte()) * 0x0101_0101_0101;
                // A thread that waits for a mutex executes no code of the program.
                let freedom = if (2..7).contains(&kind) { Freedom::Calls } else { Freedom::All };
                runtime::wait(kind, id, || self.block(freedom, team));
            }
            22 | 23 => {
                let kind = i32::from(self.choices.byte() % 8);
                runtime::stretch(kind, || self.block(Freedom::All, team));
            }
            24 => {
                let (task, creator) = runtime::create(true);
                runtime::execute(&task, creator, || self.block(Freedom::All, team));
            }
            25 => {
                let task = runtime::create(false);
                self.tasks.push(task);
            }
            26 => {
                if let Some((task, creator)) = self.tasks.pop() {
                    runtime::execute(&task, creator, || self.block(Freedom::All, team));
                }
            }
            27 => self.implicit(team),
            28 => runtime::fetched(),
            29..=31 => self.worker(team),
            32 | 33 => self.worker_alone(team),
            34 => self.other(),
            _ => self.fresh(team),
        }
    }

    fn region(&mut self) {
        let player = std::cell::RefCell::new(self);
        runtime::parallel(
            |team| player.borrow_mut().block(Freedom::All, Some(team)),
            || {
                let mut player = player.borrow_mut();
                if player.choices.byte().is_multiple_of(4) {
                    player.block(Freedom::All, None);
                }
            },
        );
    }

    /// Starts an implicit task, which can be reported only where no task is known.
    fn implicit(&mut self, team: Option<Team>) {
        if with(|model| model.here().task) != 0 {
            return;
        }
        let parent = self.tasks.pop();
        runtime::implicit(parent.as_ref().map(|(task, _)| &**task), || self.block(Freedom::All, team));
    }

    /// Lets the worker take part in the region.
    fn worker(&mut self, team: Option<Team>) {
        let free = with(|model| {
            let worker = &model.threads[WORKER];
            !worker.busy && model.current != WORKER && matches!(worker.standing, Standing::Pooled | Standing::Left(_))
        });
        if let Some(team) = team.filter(|_| free) {
            lend(WORKER, &mut || runtime::member(team, || self.block(Freedom::All, Some(team))));
        }
    }

    /// Runs a step of the worker in the pool or in a barrier, or moves it between them.
    fn worker_alone(&mut self, team: Option<Team>) {
        let (free, standing) = with(|model| {
            let worker = &model.threads[WORKER];
            (!worker.busy && model.current != WORKER, worker.standing)
        });
        if !free {
            return;
        }
        let choice = self.choices.byte() % 4;
        let ends = |team: Team| matches!(standing, Standing::Barrier(_, id) if team.is(id));
        lend(WORKER, &mut || match choice {
            0 | 1 => runtime::pooled(),
            2 if team.is_some_and(ends) => runtime::leave(),
            _ => self.block(Freedom::Calls, None),
        });
    }

    /// Runs a step on the program's own thread.
    fn other(&mut self) {
        if with(|model| !model.threads[OTHER].busy && model.current != OTHER) {
            lend(OTHER, &mut || self.block(Freedom::All, None));
        }
    }

    /// Runs a step that takes up to a hundred times as long as others.
    fn costly(&mut self, freedom: Freedom, team: Option<Team>) {
        match self.choices.byte() {
            0..4 if with(|model| model.current == 0 && model.may_cost()) => self.child(freedom, team),
            4..16 if with(crate::model::Model::may_cost) => {
                let array = buffer::array(&mut self.choices);
                without_files(|| call(&array, Place::AtTheEnd));
            }
            _ => {}
        }
    }

    /// Forks: child and parent both continue with the same steps, the child for a few.
    fn child(&mut self, freedom: Freedom, team: Option<Team>) {
        // SAFETY: no thread holds a lock, because all other threads wait for this one.
        let child = unsafe { libc::fork() };
        if child == 0 {
            with(crate::model::Model::be_alone);
            self.steps = self.steps.min(STEPS_OF_A_CHILD);
            probe();
            self.block(freedom, team);
            // SAFETY: only ends the process.
            unsafe { libc::_exit(0) };
        }
        let mut status = 0;
        // SAFETY: the child just created, and a valid place for its status.
        let ended = unsafe { libc::waitpid(child, &raw mut status, 0) };
        assert_eq!((ended, status), (child, 0), "the forked child did not end well");
    }

    /// Runs steps on a new thread, which then ends.
    fn fresh(&mut self, team: Option<Team>) {
        if self.fresh == 0 || with(|model| model.current == FRESH || model.threads[FRESH].busy) {
            return;
        }
        self.fresh -= 1;
        with(|model| {
            model.threads[FRESH].here = Here::serial(false);
            model.threads[FRESH].standing = Standing::Outside;
        });
        let choice = self.choices.byte();
        on_a_fresh_thread(&mut || {
            match team {
                Some(team) if choice & 1 != 0 => {
                    runtime::member(team, || self.block(Freedom::All, Some(team)));
                    if choice & 2 != 0 { runtime::pooled() } else { runtime::leave() }
                }
                _ if choice & 2 != 0 => {
                    runtime::worker();
                    self.block(Freedom::Calls, None);
                }
                _ => self.block(Freedom::All, None),
            }
            let cues = runtime::end_of_thread();
            with(|model| model.open(cues));
        });
        with(crate::model::Model::close);
    }
}
