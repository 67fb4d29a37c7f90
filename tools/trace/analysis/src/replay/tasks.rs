//! Tasks of a lane: their creation, the pieces in which they are executed, and their dependences.

use trace_format::{Event, Kind, id, task_flag};

use super::Lane;
use crate::kinds::{self, status};
use crate::task::implicit_key;
use crate::{Slice, What};

impl Lane<'_> {
    pub(super) fn current(&self) -> u64 {
        self.stack.task().unwrap_or(implicit_key(self.index, 0))
    }

    pub(super) fn task(&mut self, event: &Event) {
        let now_ns = self.state.now_ns;
        if event.kind == Kind::TaskCreate {
            self.state.tasks = self.state.tasks.wrapping_add(1);
            let (id, parent, creator) = (id(self.state.number, self.state.tasks), self.current(), self.index);
            let task = self.replayed.task(id);
            (task.code, task.flags, task.creator) = (event.word, event.operand, creator);
            (task.parent, task.created_ns) = (parent, now_ns);
            if event.operand & task_flag::TASKWAIT == 0 {
                self.replayed.counts.tasks_created += 1;
            } else {
                self.push(What::Wait(kinds::DEPENDENCES), event.word, id, 0);
            }
            return;
        }
        let next = event.word;
        let is_task = |slice: &Slice| slice.what == What::Task;
        match event.operand {
            status::EARLY_FULFILL | status::LATE_FULFILL => {}
            status::TASKWAIT_COMPLETE => {
                self.pop(|slice| slice.what == What::Wait(kinds::DEPENDENCES) && slice.id == next);
            }
            status::COMPLETE | status::CANCEL | status::DETACH => {
                let ended = self.stack.pop(&mut self.thread, now_ns, is_task);
                if let Some(slice) = ended {
                    self.replayed.task(slice.id).ended_ns = now_ns;
                    self.replayed.counts.tasks_executed += u64::from(event.operand != status::CANCEL);
                }
                let innermost = self.stack.task();
                if next != 0 && innermost != Some(next) {
                    self.begin_piece(next);
                }
            }
            _ if next == 0 => {
                // Back to the implicit task; the wait in which it was left continues.
                if self.stack.task().is_some_and(|key| key >> 63 == 0) {
                    self.stack.pop(&mut self.thread, now_ns, is_task);
                }
            }
            // A new task needs no search, which takes long where thousands of tasks are open, each in the next one.
            _ if self.replayed.task(next).begun_ns > 0
                && self.stack.has(&self.thread, |slice| is_task(slice) && slice.id == next) =>
            {
                self.stack.pop_down_to(&mut self.thread, now_ns, |slice| is_task(slice) && slice.id == next);
            }
            _ => self.begin_piece(next),
        }
    }

    /// A piece of a task starts.
    fn begin_piece(&mut self, id: u64) {
        let now_ns = self.state.now_ns;
        let number = u32::from(self.stack.is_waiting());
        let slice = self.push_numbered(What::Task, 0, id, id, number);
        let place = (self.index, u32::try_from(slice).unwrap_or(u32::MAX));
        let task = self.replayed.task(id);
        if task.begun_ns == 0 || now_ns < task.begun_ns {
            (task.begun_ns, task.first) = (now_ns, place);
        }
        task.last = place;
    }

    pub(super) fn dependence(&mut self, before: u64) {
        let last = id(self.state.number, self.state.tasks);
        let named = std::mem::take(&mut self.state.dependence_of);
        self.replayed.counts.dependences += 1;
        self.replayed.dependences.push((before, if named == 0 { last } else { named }));
    }
}
