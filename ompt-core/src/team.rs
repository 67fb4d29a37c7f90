//! A thread as a member of a team: its way from the thread pool through a region's body to the last barrier and back.

use crate::dispatch::Token;
use crate::event::Span;
use crate::implicit_task::ImplicitTask;
use crate::packed_state::PackedState;
use crate::region::Region;
use crate::state::State;
use crate::task::flag;
use crate::thread::Thread;
use crate::tls::{self, Call};
use std::sync::atomic::Ordering::*;

impl Thread {
    /// Makes this, the calling thread, a member of the region's team, which another thread encountered: it leaves the
    /// thread pool. Deferred reports come first: the end of the last barrier, and the return to the pool. `stack` is
    /// the address of the frame that stands for the body, `usize::MAX` where none does.
    #[inline]
    pub fn enter_as_worker(&'static self, region: &'static Region, stack: usize) {
        self.join_pool();
        self.leave_last_barrier();
        self.own_task().reset();
        self.set_task(self.own_task());
        self.set_depth(stack);
        if region.creator() != 0 {
            self.own_task().task.renew(region.creator());
            if region.has_call_site() {
                self.own_task().task.renew_reported(flag::IMPLICIT, region.encountering_task());
            }
            self.set_current_task(Some(&self.own_task().task));
        }
        self.set_entered_function(region.function());
        self.push_region(region, region.id());
        self.end(Span::IDLE, Token::from_bits(self.idle.load(Relaxed)));
        self.idle.store(0, Relaxed);
    }

    /// Makes the thread one of its runtime's workers; a worker that is seen for the first time is in the thread pool.
    #[inline]
    pub fn join_pool(&'static self) {
        if !self.is_worker() || self.now().is_unseen() {
            self.become_worker();
            self.go_idle();
        }
    }

    /// Begins the region's body. `frame` is that of the function that calls the body; 0: not known. The task gets that
    /// frame once its begin has been reported.
    #[inline]
    pub fn start_work(&'static self, frame: usize) {
        self.set_state(State::WorkParallel);
        self.begin_implicit_task(self.task());
        if frame != 0 {
            self.task().task.frame.set_exit(frame);
        }
    }

    /// Raises the begin of the implicit or initial task, which is current.
    #[inline(always)]
    pub(crate) fn begin_implicit_task(&'static self, task: &'static ImplicitTask) {
        let token = self.begin(Span::IMPLICIT_TASK);
        if token != Token::NONE {
            task.token.store(token.bits(), Relaxed);
        }
    }

    /// Sets the thread's number in a team of `size` threads. Events until its next call are attributed to the function
    /// of that frame.
    #[inline]
    pub fn take_place(&'static self, region: &'static Region, number: u32, size: u32, frame: usize) {
        region.set_size(size);
        self.task().task.set_thread_number(number);
        tls::set_call(Call { return_address: region.call().return_address, frame });
    }

    /// Begins the region's last barrier, after the body has returned: no frame of the task is on the thread's stack.
    #[inline(always)]
    pub fn begin_last_barrier(&'static self) {
        let task = self.task();
        let region = self.region().filter(|region| region.has_call_site());
        if !task.instrumented.stands_at_last_barrier() {
            self.arrive_at_last_barrier(task, region, 0, 0);
        } else if region.is_some() {
            task.task.frame.clear();
        }
    }

    /// Begins the region's last barrier inside of the body, which calls it in that frame: instrumented code.
    pub(crate) fn begin_last_barrier_in_body(&'static self, frame: usize) {
        let task = self.task();
        let region = self.region().filter(|region| region.has_call_site());
        self.arrive_at_last_barrier(task, region, task.task.frame.exit(), frame);
    }

    /// Begins the last barrier. `region` is given where calls are reported; `exit` and `enter` are the task's frames
    /// from now on.
    #[inline(always)]
    fn arrive_at_last_barrier(
        &'static self,
        task: &'static ImplicitTask,
        region: Option<&'static Region>,
        exit: usize,
        enter: usize,
    ) {
        if let Some(region) = region {
            task.code.store(region.call().return_address, Relaxed);
            tls::set_call(Call { frame: 0, ..region.call() });
        }
        // Constructs that are still open were left by the body itself: their ends are reported with the body's frames.
        self.close_task(task);
        if region.is_some() {
            task.task.frame.set_exit(exit);
            task.task.frame.set_enter(enter);
        }
        self.set_waiting(State::WaitBarrierImplicitParallel, self.region_id() << 32 | 0xffff_ffff);
        task.last_barrier.store(self.begin(Span::REGION_BARRIER).bits(), Relaxed);
    }

    /// Ends the last barrier.
    #[inline]
    pub fn end_last_barrier(&'static self) {
        let task = self.task();
        let token = Token::from_bits(task.last_barrier.load(Relaxed));
        if token != Token::NONE {
            task.last_barrier.store(0, Relaxed);
            tls::set_call(Call { return_address: task.code.load(Relaxed), frame: 0 });
            self.end(Span::REGION_BARRIER, token);
        }
    }

    /// Marks a worker as leaving: its adapter loses sight of it before it has passed the last barrier. Queries ask the
    /// region's record from now on.
    #[inline]
    pub fn leave_body(&'static self) {
        self.set_leaving();
        self.set_depth(usize::MAX);
    }

    /// Ends the implicit task.
    #[inline]
    pub(crate) fn end_implicit_task(&'static self, task: &'static ImplicitTask) {
        let token = Token::from_bits(task.token.load(Relaxed));
        if token != Token::NONE {
            task.token.store(0, Relaxed);
            self.end(Span::IMPLICIT_TASK, token);
        }
    }

    /// Returns a worker to the thread pool, after it has passed the last barrier.
    #[inline]
    pub fn return_to_pool(&'static self) {
        self.end_last_barrier();
        self.end_implicit_task(self.own_task());
        self.set_depth(usize::MAX);
        self.go_idle();
    }

    /// Reports the deferred events of a worker since [`leave_body`](Self::leave_body), if it left the region by that.
    #[inline]
    pub fn leave_last_barrier(&'static self) {
        let now = self.now();
        if now.is_leaving() {
            // Callbacks see the old region, although its record may have another owner.
            self.set_waiting(State::WaitBarrierImplicitParallel, self.wait_id());
            self.end_last_barrier();
            self.end_implicit_task(self.own_task());
            self.go_idle();
        }
    }

    pub(crate) fn go_idle(&'static self) {
        self.set_now(PackedState::new(0, State::Idle));
        self.pop_region(None);
        self.idle.store(self.begin(Span::IDLE).bits(), Relaxed);
    }
}
