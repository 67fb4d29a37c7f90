//! Environment variables that carry the command's settings to the recorder.

use std::ffi::CStr;

/// The trace's folder, an absolute path. Unset: nothing is recorded.
pub const FOLDER: &CStr = c"ORA_TRACE_DIR";
/// Names of the kinds of events to record, separated by commas. Unset: the usual ones.
pub const EVENTS: &CStr = c"ORA_TRACE_EVENTS";
/// A process's number: only its children are recorded.
pub const NO_FOLLOW: &CStr = c"ORA_TRACE_NO_FOLLOW";
/// Flight recorder: number of nanoseconds before the end that are kept. Unset: the whole run is.
pub const LAST: &CStr = c"ORA_TRACE_LAST";
/// Flight recorder: regions of at least this number of nanoseconds are kept as well.
pub const SLOW: &CStr = c"ORA_TRACE_SLOW";
