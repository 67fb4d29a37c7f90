//! Events of target constructs, of operations on memory of devices, of submissions, and of devices themselves; error
//! directives (OpenMP 5.1, 4.5.2.19 to 4.5.2.22, 4.5.2.25, 4.5.2.26, 4.5.2.28, 4.5.2.30).
//!
//! If a tool has registered both the callback with `emi` and the one without, only the former is called. The latter reports an operation
//! when it is over, and a submission when it begins.
#![allow(unsafe_code)] // calls the tool

use super::context::{End, EventContext, word};
use crate::detail::Detail;
use crate::device::{Construct, DataOperation, DeviceChange, Endpoint, Operation, Target, TargetTask};
use crate::v5::callbacks;
use crate::v5::queries::get_unique_id;
use crate::v5::release::{self, V5_1, V6_0};
use crate::v5::types::ompt_severity_t::*;
use crate::v5::types::ompt_target_data_op_t::{self, *};
use crate::v5::types::ompt_target_t::{self, *};
use std::ffi::{CStr, c_int};
use std::ptr::{null, null_mut, with_exposed_provenance, with_exposed_provenance_mut, without_provenance_mut};
use std::sync::atomic::Ordering::Relaxed;

/// Device number for a memory operand that an operation does not have.
const NO_DEVICE: c_int = -1;

impl From<Endpoint> for End {
    fn from(endpoint: Endpoint) -> Self {
        match endpoint {
            Endpoint::Begin => Self::Begin,
            Endpoint::End => Self::End,
        }
    }
}

/// Reports an event of devices.
pub(super) fn device(context: EventContext, detail: Detail<'_>) -> Option<impl FnOnce()> {
    let (mut construct, mut memory, mut kernel, mut changed) = (None, None, None, None);
    match detail {
        Detail::Target { target: it, endpoint } => construct = target(context, it, endpoint),
        Detail::DataOperation { data, endpoint } => memory = data_operation(context, data, endpoint),
        Detail::Submit { teams, endpoint } => kernel = submit(context, teams, endpoint),
        Detail::DeviceChange { device, change: it } => changed = self::change(device, it),
        _ => {}
    }
    (construct.is_some() || memory.is_some() || kernel.is_some() || changed.is_some()).then_some(move || {
        construct.into_iter().for_each(|report| report());
        memory.into_iter().for_each(|report| report());
        kernel.into_iter().for_each(|report| report());
        changed.into_iter().for_each(|report| report());
    })
}

fn kind(target: Target) -> ompt_target_t {
    match (target.construct, target.nowait) {
        (Construct::Region, false) => ompt_target,
        (Construct::Region, true) => ompt_target_nowait,
        (Construct::EnterData, false) => ompt_target_enter_data,
        (Construct::EnterData, true) => ompt_target_enter_data_nowait,
        (Construct::ExitData, false) => ompt_target_exit_data,
        (Construct::ExitData, true) => ompt_target_exit_data_nowait,
        (Construct::Update, false) => ompt_target_update,
        (Construct::Update, true) => ompt_target_update_nowait,
    }
}

/// Reports the start or end of a target construct.
fn target(context: EventContext, target: Target, endpoint: Endpoint) -> Option<impl FnOnce()> {
    let (with_emi, plain) = (callbacks::TARGET_EMI.get(), callbacks::TARGET.get());
    let (kind, end) = (kind(target), End::from(endpoint));
    let (task, target_task) = match target.task {
        Some(TargetTask { own, encountering }) => (word(encountering), word(own)),
        None => (context.task_data(), null_mut()),
    };
    let code = context.code();
    let data = word(context.thread.target.data());
    let number = context.thread.target.construct().map_or(0, |(number, _)| number);
    (with_emi.is_some() || plain.is_some()).then_some(move || {
        if let Some(callback) = with_emi {
            // SAFETY: the callback has this signature (`Kind::get`); the words are null or lie in `'static` records of a task
            // and a thread.
            unsafe { callback(kind, end.into(), target.device, task, target_task, data, code) };
        } else if let Some(callback) = plain {
            // SAFETY: the callback has this signature (`Kind::get`); the word lies in a `'static` record of a task.
            unsafe { callback(kind, end.into(), target.device, task, number, code) };
        }
    })
}

/// The kind of an operation; `None` if the tool's release doesn't have that kind.
fn operation(data: DataOperation) -> Option<ompt_target_data_op_t> {
    let (is_asynchronous, is_rectangle) = (!release::is_before(V5_1), data.subvolumes.is_some());
    let has_transfers = !release::is_before(V6_0);
    Some(match data.operation {
        Operation::Allocate => ompt_target_data_alloc,
        Operation::ToDevice | Operation::FromDevice if has_transfers && is_rectangle => ompt_target_data_transfer_rect,
        Operation::ToDevice | Operation::FromDevice if has_transfers => ompt_target_data_transfer,
        Operation::ToDeviceAsync if has_transfers && is_rectangle => ompt_target_data_transfer_rect_async,
        Operation::ToDeviceAsync if has_transfers => ompt_target_data_transfer_async,
        Operation::ToDeviceAsync if is_asynchronous => ompt_target_data_transfer_to_device_async,
        Operation::ToDevice | Operation::ToDeviceAsync => ompt_target_data_transfer_to_device,
        Operation::FromDevice => ompt_target_data_transfer_from_device,
        Operation::Fill if has_transfers => ompt_target_data_memset,
        Operation::FillAsync if has_transfers => ompt_target_data_memset_async,
        Operation::Fill | Operation::FillAsync => return None,
        Operation::Delete => ompt_target_data_delete,
        Operation::Associate => ompt_target_data_associate,
        Operation::Disassociate => ompt_target_data_disassociate,
    })
}

/// Reports the start or end of an operation on memory of a device.
fn data_operation(context: EventContext, data: DataOperation, endpoint: Endpoint) -> Option<impl FnOnce()> {
    let with_emi = callbacks::TARGET_DATA_OP_EMI.get();
    let plain = callbacks::TARGET_DATA_OP.get().filter(|_| endpoint == Endpoint::End);
    let (thread, code) = (context.thread, context.code());
    let DataOperation { operation: kind, source, destination, bytes, subvolumes } = data;
    let described = subvolumes.filter(|_| !release::is_before(V6_0));
    let addresses = described.unwrap_or([source.address, destination.address]);
    let [from, to] = addresses.map(with_exposed_provenance_mut);
    let [from_device, to_device] =
        [source, destination].map(|place| if place.address == 0 { NO_DEVICE } else { place.device });
    // An allocation has a device before it has an address.
    let to_device = if kind == Operation::Allocate { destination.device } else { to_device };
    let kind = operation(data)?;
    (with_emi.is_some() || plain.is_some()).then_some(move || {
        if let Some(callback) = with_emi {
            let (end, id) = (End::from(endpoint), thread.target.operation().as_ptr());
            // A word exists only inside target constructs.
            let target = thread.target.construct().map_or(null_mut(), |_| word(thread.target.data()));
            // SAFETY: the callback has this signature (`Kind::get`); the words are null or in the thread's `'static` record. The addresses
            // are the program's and the runtime's; the tool may inspect them.
            unsafe {
                callback(end.into(), null_mut(), target, id, kind, from, from_device, to, to_device, bytes, code)
            };
        } else if let Some(callback) = plain {
            let number = thread.target.construct().map_or(0, |(number, _)| number);
            let id = new_operation(context);
            // SAFETY: the callback has this signature (`Kind::get`). The addresses are the program's and the runtime's; the tool may
            // inspect them.
            unsafe { callback(number, id, kind, from, from_device, to, to_device, bytes, code) };
        }
    })
}

/// Reports the start or end of a submission.
fn submit(context: EventContext, teams: u32, endpoint: Endpoint) -> Option<impl FnOnce()> {
    let with_emi = callbacks::TARGET_SUBMIT_EMI.get();
    let plain = callbacks::TARGET_SUBMIT.get().filter(|_| endpoint == Endpoint::Begin);
    let thread = context.thread;
    (with_emi.is_some() || plain.is_some()).then_some(move || {
        if let Some(callback) = with_emi {
            let (end, id) = (End::from(endpoint), thread.target.operation().as_ptr());
            // SAFETY: the callback has this signature (`Kind::get`); the words lie in the thread's `'static` record.
            unsafe { callback(end.into(), word(thread.target.data()), id, teams) };
        } else if let Some(callback) = plain {
            let number = thread.target.construct().map_or(0, |(number, _)| number);
            let id = new_operation(context);
            // SAFETY: the callback has this signature (`Kind::get`).
            unsafe { callback(number, id, teams) };
        }
    })
}

/// Text that is passed as the documentation of the entry points that trace a device: there are none.
const DOCUMENTATION: &CStr = c"libgomp's devices have no tracing interface";

/// Reports a change of a device. Tracing is not offered: no device object and no lookup (OpenMP 5.0, 4.5.2.19).
fn change(device: c_int, change: DeviceChange) -> Option<impl FnOnce()> {
    let (initialize, finalize) = (callbacks::DEVICE_INITIALIZE.get(), callbacks::DEVICE_FINALIZE.get());
    let (load, unload) = (callbacks::DEVICE_LOAD.get(), callbacks::DEVICE_UNLOAD.get());
    let is_subscribed = match change {
        DeviceChange::Initialized { .. } => initialize.is_some(),
        DeviceChange::Finalized => finalize.is_some(),
        DeviceChange::Loaded { .. } => load.is_some(),
        DeviceChange::Unloaded { .. } => unload.is_some(),
    };
    is_subscribed.then_some(move || match change {
        DeviceChange::Initialized { name } => {
            let Some(callback) = initialize else { return };
            // SAFETY: the callback has this signature (`Kind::get`); both texts are C strings that stay valid.
            unsafe {
                callback(device, with_exposed_provenance(name), null_mut(), None, DOCUMENTATION.as_ptr());
            }
        }
        DeviceChange::Finalized => {
            let Some(callback) = finalize else { return };
            // SAFETY: the callback has this signature (`Kind::get`).
            unsafe { callback(device) };
        }
        DeviceChange::Loaded { image } => {
            let Some(callback) = load else { return };
            // `ompt_addr_none`
            let nowhere = without_provenance_mut(usize::MAX);
            let host = with_exposed_provenance_mut(image);
            // SAFETY: the callback has this signature (`Kind::get`); no file and no other address are known. The image is
            // the program's.
            unsafe { callback(device, null(), -1, nowhere, 0, host, nowhere, image as u64) };
        }
        DeviceChange::Unloaded { image } => {
            let Some(callback) = unload else { return };
            // SAFETY: the callback has this signature (`Kind::get`).
            unsafe { callback(device, image as u64) };
        }
    })
}

/// A number for the thread's operation, if the tool doesn't assign one.
fn new_operation(context: EventContext) -> u64 {
    let id = get_unique_id();
    context.thread.target.operation().store(id, Relaxed);
    id
}

/// Reports an error directive.
pub(super) fn error(context: EventContext, is_fatal: bool, message: (usize, usize)) -> Option<impl FnOnce()> {
    let callback = callbacks::ERROR.get().filter(|_| !release::is_before(V5_1))?;
    let severity = if is_fatal { ompt_fatal } else { ompt_warning };
    let (text, length) = message;
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); the message is null or the program's text of that length.
        unsafe { callback(severity, with_exposed_provenance(text), length, context.code()) };
    })
}
