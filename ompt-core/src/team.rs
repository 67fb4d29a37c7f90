//! A thread as a member of a team: its way from the thread pool through a region's body to the last barrier and back.

use crate::at_once::{Clock, stage};
use crate::dispatch::Token;
use crate::event::Span;
use crate::implicit_task::ImplicitTask;
use crate::packed_state::PackedState;
use crate::region::Region;
use crate::state::State;
use crate::task::flag;
use crate::thread::Thread;
use crate::tls::{self, CallSite};

/// Transitions of a thread, the calling one, as a member of a team.
#[derive(Clone, Copy)]
pub struct Membership {
    thread: &'static Thread,
}

impl Thread {
    /// The transitions of its membership in teams.
    #[inline(always)]
    pub fn team(&'static self) -> Membership {
        Membership { thread: self }
    }
}

impl Membership {
    /// Makes this, the calling thread, a member of the region's team, which another thread encountered: it leaves the
    /// thread pool. Deferred reports come first: the end of the last barrier, and the return to the pool. `stack` is
    /// the address of the body's frame, `usize::MAX` if it has none.
    #[inline]
    pub fn enter(self, region: &'static Region, stack: usize) {
        let thread = self.thread;
        self.join_pool();
        self.leave_last_barrier();
        thread.own_task().reset();
        thread.current.set_implicit_task(thread.own_task());
        thread.current.set_depth(stack);
        if region.creator() != 0 {
            thread.own_task().task.renew(region.creator());
            if region.has_call_site() {
                thread.own_task().task.renew_reported(flag::IMPLICIT, region.encountering_task());
            }
            thread.current.set_task(Some(&thread.own_task().task));
        }
        thread.reporting.set_entered_function(region.function());
        thread.regions().push(region, region.id());
        thread.end(Span::IDLE, thread.open_spans.idle());
        thread.open_spans.set_idle(Token::NONE);
    }

    /// Makes the thread a worker of its runtime; a worker that is seen for the first time is in the thread pool.
    #[inline]
    pub fn join_pool(self) {
        let thread = self.thread;
        if !thread.identity.is_worker() || thread.activity.now().is_unseen() {
            thread.identity.become_worker();
            self.go_idle();
        }
    }

    /// Begins the region's body. `frame` is that of the function that calls the body; 0: not known. The task gets that
    /// frame after its start has been reported.
    #[inline]
    pub fn start_work(self, frame: usize) {
        let thread = self.thread;
        Clock::of_body(&thread.answers).stamp::<{ stage::BEGUN }>();
        thread.activity.set_state(State::WorkParallel);
        self.begin_implicit_task(thread.task());
        if frame != 0 {
            thread.task().task.frame.set_exit(frame);
        }
    }

    /// Raises the start event of the implicit or initial task, which is current.
    #[inline(always)]
    pub(crate) fn begin_implicit_task(self, task: &'static ImplicitTask) {
        let token = self.thread.begin(Span::IMPLICIT_TASK);
        if token != Token::NONE {
            task.set_token(token);
        }
    }

    /// Sets the thread's number in a team of `size` threads. Events until its next call are attributed to the function
    /// of that frame.
    #[inline]
    pub fn take_place(self, region: &'static Region, number: u32, size: u32, frame: usize) {
        region.set_size(size);
        self.thread.task().task.set_thread_number(number);
        tls::set_call(CallSite { return_address: region.call().return_address, frame });
    }

    /// Begins the region's last barrier, after the body has returned: no frame of the task is on the thread's stack.
    #[inline(always)]
    pub fn begin_last_barrier(self) {
        let task = self.thread.task();
        let region = self.thread.current.region().filter(|region| region.has_call_site());
        if !task.instrumented.stands_at_last_barrier() {
            self.arrive_at_last_barrier(task, region, 0, 0);
        } else if region.is_some() {
            task.task.frame.clear();
        }
    }

    /// Begins the region's last barrier inside the body, for instrumented code that calls it in that frame.
    pub(crate) fn begin_last_barrier_in_body(self, frame: usize) {
        let task = self.thread.task();
        let region = self.thread.current.region().filter(|region| region.has_call_site());
        self.arrive_at_last_barrier(task, region, task.task.frame.exit(), frame);
    }

    /// Begins the last barrier. `region` is given if calls are reported; `exit` and `enter` are the task's frames from
    /// now on.
    #[inline(always)]
    fn arrive_at_last_barrier(
        self,
        task: &'static ImplicitTask,
        region: Option<&'static Region>,
        exit: usize,
        enter: usize,
    ) {
        let thread = self.thread;
        if let Some(region) = region {
            task.set_code(region.call().return_address);
            tls::set_call(CallSite { frame: 0, ..region.call() });
        }
        // The body itself has left constructs that are still open: their ends are reported with the body's frames.
        thread.constructs().close_all(task);
        if region.is_some() {
            task.task.frame.set_exit(exit);
            task.task.frame.set_enter(enter);
        }
        thread
            .activity
            .set_waiting(State::WaitBarrierImplicitParallel, thread.activity.region_id() << 32 | 0xffff_ffff);
        task.set_last_barrier(thread.begin(Span::REGION_BARRIER));
    }

    /// Ends the last barrier.
    #[inline]
    pub fn end_last_barrier(self) {
        let task = self.thread.task();
        let token = task.last_barrier();
        if token != Token::NONE {
            task.set_last_barrier(Token::NONE);
            tls::set_call(CallSite { return_address: task.code(), frame: 0 });
            self.thread.end(Span::REGION_BARRIER, token);
        }
    }

    /// Marks a worker as leaving: its adapter loses track of it before it has passed the last barrier. Queries use the
    /// region's record from now on.
    #[inline]
    pub fn leave_body(self) {
        self.thread.activity.set_leaving();
        self.thread.current.set_depth(usize::MAX);
    }

    /// Ends the implicit task.
    #[inline]
    pub(crate) fn end_implicit_task(self, task: &'static ImplicitTask) {
        let token = task.token();
        if token != Token::NONE {
            task.set_token(Token::NONE);
            self.thread.end(Span::IMPLICIT_TASK, token);
        }
    }

    /// Returns a worker to the thread pool, after it has passed the last barrier.
    #[inline]
    pub fn return_to_pool(self) {
        self.end_last_barrier();
        self.end_implicit_task(self.thread.own_task());
        self.thread.current.set_depth(usize::MAX);
        self.go_idle();
    }

    /// Reports the deferred events of a worker since [`leave_body`](Self::leave_body), if it left the region that way.
    #[inline]
    pub fn leave_last_barrier(self) {
        let thread = self.thread;
        let now = thread.activity.now();
        if now.is_leaving() {
            // Callbacks see the old region, although its record may have another owner.
            thread.activity.set_waiting(State::WaitBarrierImplicitParallel, thread.activity.wait_id());
            self.end_last_barrier();
            self.end_implicit_task(thread.own_task());
            self.go_idle();
        }
    }

    pub(crate) fn go_idle(self) {
        let thread = self.thread;
        thread.activity.set_now(PackedState::new(0, State::Idle));
        thread.current.set_region(None);
        thread.open_spans.set_idle(thread.begin(Span::IDLE));
    }
}
