//! Devices: target constructs, and operations on memory of devices (OpenMP 5.1, 2.14).

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};

/// Kind of a target construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construct {
    /// A target region.
    Region,
    /// Target enter data, also at the start of a target data region.
    EnterData,
    /// Target exit data, also at the end of a target data region.
    ExitData,
    /// Target update.
    Update,
}

/// A target construct that a task encounters.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The kind of the construct.
    pub construct: Construct,
    /// True if the encountering task doesn't wait for the construct's end (`nowait`).
    pub nowait: bool,
    /// The number of the device.
    pub device: i32,
    /// Its target task, if it has one.
    pub task: Option<TargetTask>,
}

/// The words of an OMPT 5 tool for a construct's target task.
#[derive(Clone, Copy, Debug)]
pub struct TargetTask {
    /// The word of the target task.
    pub own: &'static AtomicU64,
    /// The word of the task that encountered the construct.
    pub encountering: &'static AtomicU64,
}

/// Kind of an operation on memory of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Memory is allocated.
    Allocate,
    /// Data is copied to the device.
    ToDevice,
    /// A copy of data to the device begins, which is made by a task.
    ToDeviceAsync,
    /// Data is copied from the device.
    FromDevice,
    /// Memory is filled.
    Fill,
    /// Memory is being filled by a task that the call creates.
    FillAsync,
    /// Memory is freed.
    Delete,
    /// Memory of the device is associated with memory of the host.
    Associate,
    /// Memory of the device is disassociated from memory of the host.
    Disassociate,
}

/// An address in the memory of a device.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The address; 0 if there is none, or it is not known.
    pub address: usize,
    /// The number of the device.
    pub device: i32,
}

/// An operation on memory of a device.
#[derive(Clone, Copy, Debug)]
pub struct DataOperation {
    /// The kind of the operation.
    pub operation: Operation,
    /// The source of the data, or the memory that the operation applies to.
    pub source: Place,
    /// The destination of the data; for an allocation, the new memory once it exists.
    pub destination: Place,
    /// The size of the data; 0 if it is not known.
    pub bytes: usize,
    /// The addresses of the `ompt_subvolume_t`s of source and destination, for a copy of a part of an array.
    pub subvolumes: Option<[usize; 2]>,
}

/// A change of a device itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceChange {
    /// The runtime has initialized the device.
    Initialized {
        /// The address of a C string with the device's kind, which stays valid.
        name: usize,
    },
    /// The runtime is about to finalize the device.
    Finalized,
    /// Code was loaded onto the device.
    Loaded {
        /// The address of the code's copy on the host, which identifies it.
        image: usize,
    },
    /// Code is about to be unloaded from the device.
    Unloaded {
        /// The address of the code's copy on the host.
        image: usize,
    },
}

/// The two ends of a construct, an operation or a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// It begins.
    Begin,
    /// It is over.
    End,
}

/// The construct that a thread executes.
#[derive(Debug, Default)]
pub(crate) struct TargetConstruct {
    /// Its number, which no other construct or region has; 0 outside of reported constructs.
    number: AtomicU64,
    device: AtomicI32,
    /// The tool's `ompt_data_t` word for the construct.
    data: AtomicU64,
    /// The number of the operation, set by the tool or the core.
    operation: AtomicU64,
    /// Stack of the devices of open target data regions: one byte for each, which is the device's number plus 1. The lowest byte is for the
    /// innermost region.
    data_regions: AtomicU64,
}

system::zeroed!(TargetConstruct { number, device, data, operation, data_regions });

/// The thread's previous construct, which is restored when the construct that hides it ends.
#[derive(Clone, Copy, Debug)]
pub struct Hidden {
    number: u64,
    device: i32,
    data: u64,
}

impl TargetConstruct {
    /// Begins a construct with that number. Returns the one that it hides.
    #[inline(always)]
    pub(crate) fn begin(&self, number: u64, device: i32) -> Hidden {
        let hidden = Hidden {
            number: self.number.load(Relaxed),
            device: self.device.load(Relaxed),
            data: self.data.load(Relaxed),
        };
        self.restore(Hidden { number, device, data: 0 });
        hidden
    }

    #[inline(always)]
    pub(crate) fn restore(&self, hidden: Hidden) {
        self.number.store(hidden.number, Relaxed);
        self.device.store(hidden.device, Relaxed);
        self.data.store(hidden.data, Relaxed);
    }

    /// Number and device of the target construct that the thread executes; `None` outside of target constructs.
    /// Async-signal-safe.
    pub(crate) fn construct(&self) -> Option<(u64, i32)> {
        let number = self.number.load(Relaxed);
        (number != 0).then(|| (number, self.device.load(Relaxed)))
    }

    /// The device of the target region that the thread begins.
    pub(crate) fn device_of_region(&self) -> i32 {
        self.construct().map_or_else(devices, |(_, device)| device)
    }

    /// The `ompt_data_t` word for the target construct that the thread executes.
    pub(crate) fn data(&self) -> &AtomicU64 {
        &self.data
    }

    /// The number of the thread's operation on a device, which a tool may set. Async-signal-safe.
    pub(crate) fn operation(&self) -> &AtomicU64 {
        &self.operation
    }

    #[inline(always)]
    pub(crate) fn forget_operation(&self) {
        self.operation.store(0, Relaxed);
    }

    pub(crate) fn push_data_region(&self, device: i32) {
        let device = u64::try_from(device).ok().filter(|device| *device < 0xff).map_or(0, |device| device + 1);
        self.data_regions.store(self.data_regions.load(Relaxed) << 8 | device, Relaxed);
    }

    pub(crate) fn pop_data_region(&self) -> Option<i32> {
        let devices = self.data_regions.load(Relaxed);
        self.data_regions.store(devices >> 8, Relaxed);
        i32::try_from(devices & 0xff).ok()?.checked_sub(1).filter(|device| *device >= 0)
    }
}

/// The number of devices other than the host, once the program has used a target construct.
static DEVICES: AtomicI32 = AtomicI32::new(0);

/// Sets the number of devices that the runtime has found.
pub fn set_devices(number: i32) {
    DEVICES.store(number, Relaxed);
}

/// The number of devices other than the host; 0 before the runtime has looked for them. Async-signal-safe.
pub fn devices() -> i32 {
    DEVICES.load(Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_data_region_comes_first_and_an_unknown_device_is_none() {
        let thread = TargetConstruct::default();
        for device in [3, 0, 300, 7] {
            thread.push_data_region(device);
        }
        assert_eq!([0; 5].map(|_| thread.pop_data_region()), [Some(7), None, Some(0), Some(3), None]);
    }
}
