//! Conditions under which threads continue.

use std::collections::HashMap;
use std::rc::Rc;

use crate::gathering::Teams;
use crate::holders::Holders;
use crate::model::{Barrier, Look, Outside, Thread, Wait, WokenBy};

/// Condition of a wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// This thread has to continue.
    Certain(usize),
    /// One of these threads has to continue, but it isn't known which. The thread itself may be among them: it does not
    /// continue before its conditions are true.
    Any(Rc<[usize]>),
    /// A thread that isn't idle has to continue, but none of these, which are in ascending order. There is at least one other.
    AnyBut(Vec<usize>),
    /// Any other thread of the process has to continue.
    Anyone,
}

/// Threads that share their conditions.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sharing {
    /// Those at a team's barrier, at the region's end or before.
    Barrier(u64, bool),
    /// Those that wait for a turn in a team, of which more than two execute the loop.
    Turn(u64),
    /// A thread alone.
    Alone(usize),
}

/// Facts that many threads share, each found once: a process may have thousands of them.
#[derive(Debug)]
pub(crate) struct Known<'l> {
    look: &'l Look,
    holders: Holders<'l>,
    pub(crate) teams: Teams,
    /// Threads that may give a turn to others of a team; `None` if not all members are known.
    turns: HashMap<u64, Option<Rc<[usize]>>>,
}

impl<'l> Known<'l> {
    /// Facts of a look.
    pub(crate) fn of(look: &'l Look) -> Self {
        Self { look, holders: Holders::of(look), teams: Teams::of(&look.threads), turns: HashMap::new() }
    }

    /// The threads that a thread shares its conditions with.
    pub(crate) fn sharing(&mut self, own: usize, thread: &Thread) -> Sharing {
        let innermost = || thread.place.as_ref()?.teams.first().map(|own| own.team);
        match (&thread.wait, innermost()) {
            (Wait::Barrier { team: Some(team), kind }, _) => Sharing::Barrier(*team, *kind == Barrier::RegionEnd),
            (Wait::Turn(_), Some(team)) if self.in_loop(team).is_some_and(|all| all.len() > 2) => Sharing::Turn(team),
            _ => Sharing::Alone(own),
        }
    }

    /// True for a condition that an unknown thread may make true.
    pub(crate) fn is_unsure(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Certain(_) => false,
            Condition::Any(others) => !others.is_empty(),
            Condition::AnyBut(_) => true,
            Condition::Anyone => self.look.threads.len() > 1,
        }
    }

    /// Conditions of a thread that sleeps.
    pub(crate) fn conditions(&mut self, own: usize, thread: &Thread) -> Vec<Condition> {
        let only = match &thread.wait {
            Wait::Nothing => None,
            Wait::Outside(Outside { by, .. }) => match by {
                WokenBy::World => None,
                WokenBy::Threads => Some(Condition::Anyone),
                WokenBy::EndOf(tid) => self.look.position(*tid).map(Condition::Certain),
            },
            Wait::Mutex(wanted) => Some(self.holders.holder(wanted).map_or(Condition::Anyone, Condition::Certain)),
            Wait::Barrier { team: Some(team), kind } => return self.barrier(*team, *kind),
            Wait::Turn(_) => Some(self.turn(own, thread).unwrap_or(Condition::Anyone)),
            Wait::Barrier { team: None, .. } | Wait::Idle | Wait::Tasks(_) | Wait::Taskyield | Wait::Runtime(_) => {
                Some(Condition::Anyone)
            }
        };
        only.into_iter().collect()
    }

    /// A barrier opens when the others of the team have come. If some of them can't be found, a thread whose team isn't known may be one of
    /// them. If all are there, only the end of a task is missing, which any thread may bring about.
    fn barrier(&self, team: u64, kind: Barrier) -> Vec<Condition> {
        let gathering = self.teams.gathering(&self.look.threads, team, kind);
        let is_unsure = gathering.gone > 0 || gathering.elsewhere.is_empty();
        let any = is_unsure.then(|| match self.teams.has_stranger(team) {
            true => Condition::AnyBut(self.teams.members(team).to_vec()),
            false => Condition::Any(Rc::default()),
        });
        gathering.elsewhere.into_iter().map(Condition::Certain).chain(any).collect()
    }

    /// A turn is given by a member of the team that executes the loop: one that isn't at a barrier. `None` if not all
    /// members are known.
    fn turn(&mut self, own: usize, thread: &Thread) -> Option<Condition> {
        let all = self.in_loop(thread.place.as_ref()?.teams.first()?.team)?;
        let mut others = all.iter().filter(|other| **other != own);
        Some(match (others.next(), others.next()) {
            (None, _) => Condition::Any(Rc::default()),
            (Some(only), None) => Condition::Certain(*only),
            _ => Condition::Any(all),
        })
    }

    /// The members of a team that are not at its barrier; `None` if not all members are known.
    fn in_loop(&mut self, team: u64) -> Option<Rc<[usize]>> {
        let threads = &self.look.threads;
        let find = || {
            let gathering = self.teams.gathering(threads, team, Barrier::Explicit);
            let at_barrier = |other: &Thread| matches!(other.wait, Wait::Barrier { team: Some(at), .. } if at == team);
            let executes = |other: &usize| threads.get(*other).is_some_and(|thread| !at_barrier(thread));
            (gathering.gone == 0).then(|| gathering.elsewhere.into_iter().filter(executes).collect())
        };
        self.turns.entry(team).or_insert_with(find).clone()
    }
}

/// True if threads wait for tasks, and all threads wait in OpenMP: none of them executes a task to its end.
pub(crate) fn starves(threads: &[Thread]) -> bool {
    let is_for_tasks = |thread: &Thread| matches!(thread.wait, Wait::Tasks(_) | Wait::Taskyield);
    let waits = |thread: &Thread| {
        is_for_tasks(thread) || matches!(thread.wait, Wait::Idle | Wait::Barrier { .. } | Wait::Turn(_))
    };
    threads.iter().all(|thread| waits(thread) && thread.is_settled) && threads.iter().any(is_for_tasks)
}
