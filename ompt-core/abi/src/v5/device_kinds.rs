//! The small enums that only callbacks about devices and their traces pass (OpenMP 5.0, sections 4.4.3 and 4.4.4).

/// The kind of a target construct.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_target_t {
    /// A target region.
    ompt_target = 1,
    /// Target enter data.
    ompt_target_enter_data = 2,
    /// Target exit data.
    ompt_target_exit_data = 3,
    /// Target update.
    ompt_target_update = 4,
    /// 5.1: a target region with `nowait`.
    ompt_target_nowait = 9,
    /// 5.1: target enter data with `nowait`.
    ompt_target_enter_data_nowait = 10,
    /// 5.1: target exit data with `nowait`.
    ompt_target_exit_data_nowait = 11,
    /// 5.1: target update with `nowait`.
    ompt_target_update_nowait = 12,
}

/// What is done with a device's memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_target_data_op_t {
    /// It is allocated.
    ompt_target_data_alloc = 1,
    /// It is written.
    ompt_target_data_transfer_to_device = 2,
    /// It is read.
    ompt_target_data_transfer_from_device = 3,
    /// It is freed.
    ompt_target_data_delete = 4,
    /// It is tied to memory of the host.
    ompt_target_data_associate = 5,
    /// The tie is cut.
    ompt_target_data_disassociate = 6,
    /// 5.1: it is allocated, in the background.
    ompt_target_data_alloc_async = 17,
    /// 5.1: it is written, in the background.
    ompt_target_data_transfer_to_device_async = 18,
    /// 5.1: it is read, in the background.
    ompt_target_data_transfer_from_device_async = 19,
    /// 5.1: it is freed, in the background.
    ompt_target_data_delete_async = 20,
}

/// Who wrote a record of a device's trace.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_record_t {
    /// OMPT: an `ompt_record_ompt_t`.
    ompt_record_ompt = 1,
    /// The device's own tracing.
    ompt_record_native = 2,
    /// Nobody: it can't be read.
    ompt_record_invalid = 3,
}

/// What a device's own record holds.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_record_native_t {
    /// A fact about the device.
    ompt_record_native_info = 1,
    /// An event.
    ompt_record_native_event = 2,
}
