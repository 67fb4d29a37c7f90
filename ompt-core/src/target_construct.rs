//! Target constructs that a thread encounters, its operations on memory of devices, and its submissions of target regions.
//!
//! All of them are one event, [`Event::Device`]: only OpenMP 5 has callbacks for them. The thread has the construct that it
//! executes, with the tool's word for it. A construct in another one hides that for as long as it lasts.

use crate::detail::Detail;
use crate::device::{DataOperation, DeviceChange, Endpoint, Operation, Place, Target, TargetConstruct, devices};
use crate::dispatch::armed;
use crate::event::{Event, EventSet};
use crate::region::new_number;
use crate::thread::Thread;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The thread's construct before another one, which [`Thread::end_target`] restores.
#[derive(Clone, Copy, Debug)]
pub struct Hidden {
    number: u64,
    device: i32,
    data: u64,
}

/// True if a tool is subscribed to target constructs and operations.
#[inline(always)]
pub fn is_subscribed() -> bool {
    armed(EventSet::of(&[Event::Device]))
}

impl Thread {
    /// Begins a target construct on this, the calling thread. `None` if no tool is subscribed: then it has no end either.
    pub fn begin_target(&'static self, target: Target) -> Option<Hidden> {
        if !is_subscribed() {
            return None;
        }
        let TargetConstruct { number, device, data, .. } = &self.target;
        let hidden = Hidden { number: number.load(Relaxed), device: device.load(Relaxed), data: data.load(Relaxed) };
        number.store(new_number(), Relaxed);
        device.store(target.device, Relaxed);
        data.store(0, Relaxed);
        self.raise_with(Event::Device, &Detail::Target { target, endpoint: Endpoint::Begin });
        Some(hidden)
    }

    /// Ends a target construct. The one that it has hidden is the thread's again.
    pub fn end_target(&'static self, target: Target, hidden: Option<Hidden>) {
        let Some(hidden) = hidden else { return };
        self.raise_with(Event::Device, &Detail::Target { target, endpoint: Endpoint::End });
        self.target.number.store(hidden.number, Relaxed);
        self.target.device.store(hidden.device, Relaxed);
        self.target.data.store(hidden.data, Relaxed);
    }

    /// Records that the thread has begun a target data region for that device. Beyond eight regions inside of each other the
    /// outermost are forgotten.
    pub fn open_target_data(&self, device: i32) {
        self.target.push_data_region(device);
    }

    /// Records the end of the thread's innermost target data region. Returns its device; `None` where it is not known.
    pub fn close_target_data(&self) -> Option<i32> {
        self.target.pop_data_region()
    }

    /// Runs an operation on memory of a device, and reports both of its ends. `run` returns the result and, where the
    /// operation allocates, the new memory's address.
    pub fn data_operation<T>(&'static self, data: DataOperation, run: impl FnOnce() -> (T, usize)) -> T {
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

    // Apart from the functions around it, which each wrapper and each plug-in has of its own.
    #[inline(never)]
    fn begin_operation(&'static self, detail: &Detail<'_>) {
        self.target.operation.store(0, Relaxed);
        self.raise_with(Event::Device, detail);
    }

    #[inline(never)]
    fn end_operation(&'static self, detail: &Detail<'_>) {
        self.raise_with(Event::Device, detail);
        self.target.operation.store(0, Relaxed);
    }

    /// Submits a target region that requests so many teams (0: any number), and reports both ends of that.
    pub fn submit<T>(&'static self, teams: u32, run: impl FnOnce() -> T) -> T {
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
    pub fn change_device(&'static self, device: i32, change: DeviceChange) {
        if is_subscribed() {
            self.raise_with(Event::Device, &Detail::DeviceChange { device, change });
        }
    }

    /// Number and device of the target construct that the thread executes; `None` outside of all. Async-signal-safe.
    pub(crate) fn target_construct(&self) -> Option<(u64, i32)> {
        let number = self.target.number.load(Relaxed);
        (number != 0).then(|| (number, self.target.device.load(Relaxed)))
    }

    /// The number of the target region that the thread begins: its construct's.
    pub(crate) fn number_of_target(&self) -> u64 {
        self.target_construct().map_or_else(new_number, |(number, _)| number)
    }

    /// The device of the target region that the thread begins.
    pub(crate) fn device_of_target(&self) -> i32 {
        self.target_construct().map_or_else(devices, |(_, device)| device)
    }

    /// The `ompt_data_t` word for the target construct that the thread executes.
    pub(crate) fn target_data(&self) -> &AtomicU64 {
        &self.target.data
    }

    /// The number of the thread's operation on a device, which a tool may set. Async-signal-safe.
    pub(crate) fn target_operation(&self) -> &AtomicU64 {
        &self.target.operation
    }
}
