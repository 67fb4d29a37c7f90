//! Target constructs that a thread encounters, its operations on memory of devices, and its submissions of target regions.
//!
//! All of them are one event, [`Event::Device`]: only OpenMP 5 has callbacks for them. The thread's record has the construct that it
//! executes, with the tool's word for it. A nested construct hides the outer one until it ends.

use crate::detail::Detail;
use crate::device::{DataOperation, DeviceChange, Endpoint, Hidden, Operation, Place, Target};
use crate::dispatch::armed;
use crate::event::{Event, EventSet};
use crate::region::new_number;
use crate::thread::Thread;

/// True if a tool is subscribed to target constructs and operations.
#[inline(always)]
pub fn is_subscribed() -> bool {
    armed(EventSet::of(&[Event::Device]))
}

/// Target constructs and operations on devices of a thread, the calling one.
#[derive(Clone, Copy)]
pub struct Targets {
    thread: &'static Thread,
}

impl Thread {
    /// Its target constructs and operations on devices.
    #[inline(always)]
    pub fn targets(&'static self) -> Targets {
        Targets { thread: self }
    }
}

impl Targets {
    /// Begins a target construct on this, the calling thread. `None` if no tool is subscribed: then its end is not reported either.
    pub fn begin(self, target: Target) -> Option<Hidden> {
        if !is_subscribed() {
            return None;
        }
        let hidden = self.thread.target.begin(new_number(), target.device);
        self.thread.raise_with(Event::Device, &Detail::Target { target, endpoint: Endpoint::Begin });
        Some(hidden)
    }

    /// Ends a target construct. The construct that it has hidden is current again.
    pub fn end(self, target: Target, hidden: Option<Hidden>) {
        let Some(hidden) = hidden else { return };
        self.thread.raise_with(Event::Device, &Detail::Target { target, endpoint: Endpoint::End });
        self.thread.target.restore(hidden);
    }

    /// Records that the thread has begun a target data region for that device. If more than eight are nested, the outermost are forgotten.
    pub fn open_data(self, device: i32) {
        self.thread.target.push_data_region(device);
    }

    /// Records the end of the thread's innermost target data region. Returns its device; `None` if it is not known.
    pub fn close_data(self) -> Option<i32> {
        self.thread.target.pop_data_region()
    }

    /// Runs an operation on memory of a device, and reports both of its ends. `run` returns the result and, if the
    /// operation allocates, the new memory's address.
    pub fn data_operation<T>(self, data: DataOperation, run: impl FnOnce() -> (T, usize)) -> T {
        if !is_subscribed() {
            return run().0;
        }
        self.begin_operation(&Detail::DataOperation { data, endpoint: Endpoint::Begin });
        let (result, address) = run();
        let destination = match data.operation {
            Operation::Allocate => Place { address, ..data.destination },
            _ => data.destination,
        };
        let data = DataOperation { destination, ..data };
        self.end_operation(&Detail::DataOperation { data, endpoint: Endpoint::End });
        result
    }

    // Not part of the functions around it, which are instantiated for each wrapper and each plug-in.
    #[inline(never)]
    fn begin_operation(self, detail: &Detail<'_>) {
        self.thread.target.forget_operation();
        self.thread.raise_with(Event::Device, detail);
    }

    #[inline(never)]
    fn end_operation(self, detail: &Detail<'_>) {
        self.thread.raise_with(Event::Device, detail);
        self.thread.target.forget_operation();
    }

    /// Submits a target region that requests `teams` teams (0: any number), and reports both ends of that.
    pub fn submit<T>(self, teams: u32, run: impl FnOnce() -> T) -> T {
        if !is_subscribed() {
            return run();
        }
        self.begin_operation(&Detail::Submit { teams, endpoint: Endpoint::Begin });
        let result = run();
        self.end_operation(&Detail::Submit { teams, endpoint: Endpoint::End });
        result
    }

    /// Reports a change of a device.
    #[inline(never)]
    pub fn change_device(self, device: i32, change: DeviceChange) {
        if is_subscribed() {
            self.thread.raise_with(Event::Device, &Detail::DeviceChange { device, change });
        }
    }

    /// The number of the target region that the thread begins: its construct's.
    pub(crate) fn number_of_region(self) -> u64 {
        self.thread.target.construct().map_or_else(new_number, |(number, _)| number)
    }
}
