//! Implementation of each request: reads its input from an entry, queries the session or the core, writes the answer.

use crate::code_address::is_code;
use crate::codes::{ErrorCode, EventNumber, Request, ThreadState};
use crate::session::{self, Layout, SessionError};
use crate::translate;
use crate::wire::{Entries, Entry};
use ErrorCode::*;
use ompt_core::{adapter, query};
use system::dso_pin;
use thiserror::Error;

/// Reason for refusing a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RequestError {
    /// No request or event has this number.
    #[error("no request or event has number {0}")]
    Unknown(i32),
    /// No adapter in this process serves it.
    #[error("no adapter serves request {0:?}")]
    Unsupported(Request),
    /// `mem` is too short for the input or the result.
    #[error("mem holds {room} bytes, {needed} are needed")]
    TooSmall {
        /// Bytes of `mem`, up to [`crate::wire::MAX_MEM`].
        room: usize,
        /// Bytes that the request needs.
        needed: i32,
    },
    /// The callback is not the address of code.
    #[error("the callback is not the address of code")]
    NotCode,
    /// The session refuses the request.
    #[error(transparent)]
    Session(#[from] SessionError),
}

impl RequestError {
    /// The error code and result size that the standard assigns to the error.
    fn answer(self) -> (ErrorCode, i32) {
        match self {
            Self::Unknown(_) => (OMP_ERRCODE_UNKNOWN, 0),
            Self::Unsupported(_) | Self::Session(SessionError::Unsupported(_) | SessionError::Disabled) => {
                (OMP_ERRCODE_UNSUPPORTED, 0)
            }
            Self::TooSmall { needed, .. } => (OMP_ERRCODE_MEM_TOO_SMALL, needed),
            Self::NotCode => (OMP_ERRCODE_ERROR, 0),
            Self::Session(SessionError::Sequence) => (OMP_ERRCODE_SEQUENCE_ERR, 0),
        }
    }
}

/// Serves every entry of an array; false if the walk encounters something that is not an entry (everything before it
/// has been served). Async-signal-safe for STATE, CURRENT_PRID, PARENT_PRID, TASK_ID and TASK_PID.
///
/// Queries from samplers, on a thread that works, take a fast path. From the first entry with any other request on, the
/// rest of the array takes the general path.
#[inline(always)]
pub(crate) fn serve(mut entries: Entries) -> bool {
    loop {
        let here = entries;
        match entries.next_entry() {
            Ok(Some(entry)) => {
                if !serve_query(entry) {
                    return serve_all(here);
                }
            }
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

#[inline(never)]
fn serve_all(mut entries: Entries) -> bool {
    loop {
        match entries.next_entry() {
            Ok(Some(mut entry)) => {
                let (code, size) = serve_request(&mut entry);
                entry.answer(code, size);
            }
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// Fast path of STATE and CURRENT_PRID, on a thread that does not wait, if its own record contains the whole answer and
/// there is room for it. Otherwise returns false, and has done nothing.
#[inline(always)]
fn serve_query(mut entry: Entry<'_>) -> bool {
    const STATE: i32 = Request::OMP_REQ_STATE as i32;
    const CURRENT_PRID: i32 = Request::OMP_REQ_CURRENT_PRID as i32;
    if !session::started() {
        return false;
    }
    let Some(now) = query::word() else { return false };
    let state = translate::state_without_wait(now.number());
    let size = match entry.request() {
        STATE if state != 0 && entry.write(0, state) => 4,
        CURRENT_PRID if state != 0 && entry.write(0, now.region()) => 8,
        _ => return false,
    };
    entry.answer(OMP_ERRCODE_OK, size);
    true
}

fn serve_request(entry: &mut Entry<'_>) -> (ErrorCode, i32) {
    let raw = entry.request();
    match Request::from_raw(raw) {
        None => RequestError::Unknown(raw).answer(),
        Some(Request::OMP_REQ_START) => control(entry, Request::OMP_REQ_START),
        Some(_) if !session::started() => RequestError::from(SessionError::Sequence).answer(),
        Some(Request::OMP_REQ_STATE) => {
            let moment = query::now();
            state(entry, translate::state(moment.state), moment.wait_id)
        }
        Some(Request::OMP_REQ_CURRENT_PRID) => region(entry, Some(query::now().region)),
        Some(Request::OMP_REQ_PARENT_PRID) => region(entry, query::parent_region()),
        Some(Request::OMP_REQ_TASK_ID) if adapter::tracks_tasks() => task(entry, query::task().0),
        Some(Request::OMP_REQ_TASK_PID) if adapter::tracks_tasks() => task(entry, query::task().1),
        Some(request) => control(entry, request),
    }
}

/// Serves the requests that are not async-signal-safe, and those that no adapter serves. Never inlined, so that the
/// code that queries reach can be identified in the machine code (`cargo xtask panics`).
#[cold]
#[inline(never)]
fn control(entry: &Entry<'_>, request: Request) -> (ErrorCode, i32) {
    let done = match request {
        Request::OMP_REQ_START => start(),
        Request::OMP_REQ_REGISTER => register(entry),
        Request::OMP_REQ_UNREGISTER => unregister(entry),
        Request::OMP_REQ_STOP => session::stop().map_err(Into::into),
        Request::OMP_REQ_PAUSE => session::pause(true).map_err(Into::into),
        Request::OMP_REQ_RESUME => session::pause(false).map_err(Into::into),
        _ => Err(RequestError::Unsupported(request)),
    };
    done.map_or_else(RequestError::answer, |()| (OMP_ERRCODE_OK, 0))
}

#[cold]
#[inline(never)]
fn start() -> Result<(), RequestError> {
    crate::load::once();
    Ok(session::start()?)
}

fn unregister(entry: &Entry<'_>) -> Result<(), RequestError> {
    Ok(session::register(event(entry, 4)?, 0)?)
}

/// The event number at the start of `mem`, which has to hold `needed` bytes.
fn event(entry: &Entry<'_>, needed: i32) -> Result<EventNumber, RequestError> {
    let room = entry.room();
    let too_small = RequestError::TooSmall { room, needed };
    if i32::try_from(room).is_ok_and(|room| room < needed) {
        return Err(too_small);
    }
    let raw = i32::from_ne_bytes(entry.read(0).ok_or(too_small)?);
    EventNumber::from_raw(raw).ok_or(RequestError::Unknown(raw))
}

fn register(entry: &Entry<'_>) -> Result<(), RequestError> {
    if entry.room() >= 12 {
        let (callback, proof) = callback(entry);
        if let Some(layout) = proof {
            session::learn(layout);
        }
        let event = event(entry, 12)?;
        session::supported(event)?;
        let callback = callback.ok_or(RequestError::NotCode)?;
        if session::started() {
            dso_pin::pin(callback);
        }
        return Ok(session::register(event, callback)?);
    }
    event(entry, 12).map(|_| ())
}

/// The callback's address (0 for NULL, `None` if there is nothing that can be called), and the layout if this entry
/// proves one. `mem` holds at least 12 bytes.
fn callback(entry: &Entry<'_>) -> (Option<usize>, Option<Layout>) {
    let word = |at| entry.read(at).map(u64::from_ne_bytes);
    let packed = word(4).unwrap_or(0);
    #[allow(clippy::cast_possible_truncation)] // addresses have 64 bits here
    let address = |word: u64| Some(word as usize);
    let Some(padded) = word(8) else {
        let callback = if packed == 0 || is_code(packed) { address(packed) } else { None };
        return (callback, Some(Layout::Packed));
    };
    if packed == 0 && padded == 0 {
        return (Some(0), None);
    }
    match (is_code(packed), is_code(padded)) {
        (true, false) => (address(packed), Some(Layout::Packed)),
        (false, true) => (address(padded), Some(Layout::Padded)),
        (true, true) if session::layout() == Some(Layout::Packed) => (address(packed), None),
        (true, true) => (address(padded), None),
        (false, false) => (None, None),
    }
}

/// Answers STATE: the state, and the wait id if there is one. With 4 to 11 bytes a waiting state is written although
/// the wait id does not fit, because collectors make such requests.
fn state(entry: &mut Entry<'_>, state: ThreadState, wait_id: u64) -> (ErrorCode, i32) {
    let written = entry.write(0, state as i32);
    if !state.waits() {
        return (if written { OMP_ERRCODE_OK } else { OMP_ERRCODE_MEM_TOO_SMALL }, 4);
    }
    if entry.room() >= 16 && session::layout() != Some(Layout::Packed) {
        entry.write(8, wait_id);
        return (OMP_ERRCODE_OK, 16);
    }
    (if entry.write(4, wait_id) { OMP_ERRCODE_OK } else { OMP_ERRCODE_MEM_TOO_SMALL }, 12)
}

/// Answers with a region's id. `mem` stays untouched where it does not fit: a client asks with 4 bytes.
fn region(entry: &mut Entry<'_>, id: Option<u64>) -> (ErrorCode, i32) {
    match id {
        _ if entry.room() < 8 => (OMP_ERRCODE_MEM_TOO_SMALL, 8),
        None => (OMP_ERRCODE_THREAD_ERR, 0),
        Some(id) => {
            entry.write(0, id);
            (OMP_ERRCODE_OK, 8)
        }
    }
}

/// Answers with a task's id: in 8 bytes, or its low half in 4.
fn task(entry: &mut Entry<'_>, id: u64) -> (ErrorCode, i32) {
    #[allow(clippy::cast_possible_truncation)] // the low half is meant
    match entry.write(0, id) {
        true => (OMP_ERRCODE_OK, 8),
        false if entry.write(0, id as u32) => (OMP_ERRCODE_OK, 4),
        false => (OMP_ERRCODE_MEM_TOO_SMALL, 4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_has_its_code() {
        let size = |e: RequestError| e.answer();
        assert_eq!(size(RequestError::Unknown(99)), (OMP_ERRCODE_UNKNOWN, 0));
        assert_eq!(size(RequestError::TooSmall { room: 4, needed: 12 }), (OMP_ERRCODE_MEM_TOO_SMALL, 12));
        assert_eq!(size(RequestError::NotCode), (OMP_ERRCODE_ERROR, 0));
        assert_eq!(size(SessionError::Sequence.into()), (OMP_ERRCODE_SEQUENCE_ERR, 0));
        assert_eq!(size(SessionError::Disabled.into()), (OMP_ERRCODE_UNSUPPORTED, 0));
    }
}
