//! Enums that only callbacks about devices and their traces pass (OpenMP 5.0, 4.4.3 and 4.4.4).

/// Kind of a target construct (OpenMP 5.0, 4.4.4.20).
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

/// Kind of an operation on a device's memory (OpenMP 5.0, 4.4.4.14).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_target_data_op_t {
    /// Memory of the device is allocated.
    ompt_target_data_alloc = 1,
    /// Data is copied to the device; deprecated by 6.0.
    ompt_target_data_transfer_to_device = 2,
    /// Data is copied from the device; deprecated by 6.0.
    ompt_target_data_transfer_from_device = 3,
    /// Memory of the device is freed.
    ompt_target_data_delete = 4,
    /// Memory of the device is associated with memory of the host.
    ompt_target_data_associate = 5,
    /// Memory of the device is disassociated from memory of the host.
    ompt_target_data_disassociate = 6,
    /// 6.0: data is copied between two devices, of which one may be the host.
    ompt_target_data_transfer = 7,
    /// 6.0: memory is filled.
    ompt_target_data_memset = 8,
    /// 6.0: a rectangular part of an array is copied: the addresses are those of two `ompt_subvolume_t`.
    ompt_target_data_transfer_rect = 9,
    /// 5.1: memory of the device is allocated asynchronously.
    ompt_target_data_alloc_async = 17,
    /// 5.1: data is copied to the device asynchronously; deprecated by 6.0.
    ompt_target_data_transfer_to_device_async = 18,
    /// 5.1: data is copied from the device asynchronously; deprecated by 6.0.
    ompt_target_data_transfer_from_device_async = 19,
    /// 5.1: memory of the device is freed asynchronously.
    ompt_target_data_delete_async = 20,
    /// 6.0: data is copied between two devices asynchronously.
    ompt_target_data_transfer_async = 23,
    /// 6.0: memory is filled asynchronously.
    ompt_target_data_memset_async = 24,
    /// 6.0: a rectangular part of an array is copied asynchronously.
    ompt_target_data_transfer_rect_async = 25,
}

/// Type of a record of a device's trace (OpenMP 5.0, 4.4.3.1).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_record_t {
    /// A record of OMPT: an `ompt_record_ompt_t`.
    ompt_record_ompt = 1,
    /// A record of the device's own tracing.
    ompt_record_native = 2,
    /// No record: the position is not valid.
    ompt_record_invalid = 3,
}

/// Kind of a record of the device's own tracing (OpenMP 5.0, 4.4.3.2).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_record_native_t {
    /// Information about the device.
    ompt_record_native_info = 1,
    /// An event on the device.
    ompt_record_native_event = 2,
}
