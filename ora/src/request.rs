//! What each request means: reads its input from an entry, asks the session or the core, writes the answer.

use crate::code_address::is_code;
use crate::codes::{ErrorCode, EventNumber, Request};
use crate::session::{self, Layout, SessionError};
use crate::translate;
use crate::wire::Entry;
use ErrorCode::*;
use ompt_core::query;
use thiserror::Error;

/// Why a request is not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RequestError {
    /// Nothing has this number.
    #[error("no request or event has number {0}")]
    Unknown(i32),
    /// Nobody here can serve it.
    #[error("request {0:?} has nobody to serve it")]
    Unsupported(Request),
    /// `mem` is too short.
    #[error("mem holds {room} bytes, {needed} are needed")]
    TooSmall {
        /// Bytes there are, up to [`crate::wire::ROOM`].
        room: usize,
        /// Bytes it takes.
        needed: i32,
    },
    /// The callback is not code.
    #[error("the callback is no address of code")]
    NotCode,
    /// The calling thread has no answer.
    #[error("the calling thread is not the master of a team")]
    Thread,
    /// The session refuses.
    #[error(transparent)]
    Session(#[from] SessionError),
}

impl RequestError {
    /// The code and size that the standard has for it.
    fn answer(self) -> (ErrorCode, i32) {
        match self {
            Self::Unknown(_) => (OMP_ERRCODE_UNKNOWN, 0),
            Self::Unsupported(_) | Self::Session(SessionError::Unsupported(_) | SessionError::Disabled) => {
                (OMP_ERRCODE_UNSUPPORTED, 0)
            }
            Self::TooSmall { needed, .. } => (OMP_ERRCODE_MEM_TOO_SMALL, needed),
            Self::NotCode => (OMP_ERRCODE_ERROR, 0),
            Self::Thread => (OMP_ERRCODE_THREAD_ERR, 0),
            Self::Session(SessionError::Sequence) => (OMP_ERRCODE_SEQUENCE_ERR, 0),
        }
    }
}

/// Serves one entry: writes its code and size, and its result if there is one. Async-signal-safe for STATE, CURRENT_PRID,
/// PARENT_PRID, TASK_ID and TASK_PID.
#[inline]
pub fn serve(mut entry: Entry<'_>) {
    let (code, size) = match dispatch(&mut entry) {
        Ok(size) => (OMP_ERRCODE_OK, size),
        Err(error) => error.answer(),
    };
    entry.answer(code, size);
}

/// The size of the result.
#[inline]
fn dispatch(entry: &mut Entry<'_>) -> Result<i32, RequestError> {
    let raw = entry.request();
    let request = Request::from_raw(raw).ok_or(RequestError::Unknown(raw))?;
    if request != Request::OMP_REQ_START && !session::started() {
        return Err(SessionError::Sequence.into());
    }
    match request {
        Request::OMP_REQ_STATE => state(entry),
        Request::OMP_REQ_CURRENT_PRID => region(entry, Some),
        Request::OMP_REQ_PARENT_PRID => region(entry, |_| query::parent_region()),
        Request::OMP_REQ_TASK_ID | Request::OMP_REQ_TASK_PID => Err(RequestError::Unsupported(request)),
        _ => control(request, entry).map(|()| 0),
    }
}

/// The requests that no signal handler makes.
#[cold]
fn control(request: Request, entry: &Entry<'_>) -> Result<(), RequestError> {
    match request {
        Request::OMP_REQ_START => {
            crate::load::once();
            session::start()?;
        }
        Request::OMP_REQ_REGISTER => register(entry)?,
        Request::OMP_REQ_UNREGISTER => session::register(event(entry, 4)?, 0)?,
        Request::OMP_REQ_STOP => session::stop()?,
        Request::OMP_REQ_PAUSE => session::pause(true)?,
        Request::OMP_REQ_RESUME => session::pause(false)?,
        _ => return Err(RequestError::Unsupported(request)),
    }
    Ok(())
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
        return Ok(session::register(event, callback.ok_or(RequestError::NotCode)?)?);
    }
    event(entry, 12).map(|_| ())
}

/// The callback's address (0 for NULL, `None` if there is nothing that can be called), and the layout if this entry proves
/// one. `mem` holds at least 12 bytes.
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

/// State, and wait id where there is one. With 4 to 11 bytes a waiting state is written although the wait id does not fit:
/// collectors ask that way.
#[inline]
fn state(entry: &mut Entry<'_>) -> Result<i32, RequestError> {
    let (core, wait_id) = query::state();
    let state = translate::state(core);
    let room = entry.room();
    let needed = if state.waits() { 12 } else { 4 };
    if room >= 4 {
        entry.write(0, state as i32);
    }
    if room < needed as usize {
        return Err(RequestError::TooSmall { room, needed });
    }
    if !state.waits() {
        return Ok(4);
    }
    if room >= 16 && session::layout() != Some(Layout::Packed) {
        entry.write(8, wait_id);
        return Ok(16);
    }
    entry.write(4, wait_id);
    Ok(12)
}

/// A region's id. `mem` stays untouched where it does not fit: a client asks with 4 bytes.
#[inline]
fn region(entry: &mut Entry<'_>, of: impl FnOnce(u64) -> Option<u64>) -> Result<i32, RequestError> {
    if entry.room() < 8 {
        return Err(RequestError::TooSmall { room: entry.room(), needed: 8 });
    }
    let id = of(query::region()).ok_or(RequestError::Thread)?;
    entry.write(0, id);
    Ok(8)
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
        assert_eq!(size(RequestError::Thread), (OMP_ERRCODE_THREAD_ERR, 0));
        assert_eq!(size(SessionError::Sequence.into()), (OMP_ERRCODE_SEQUENCE_ERR, 0));
        assert_eq!(size(SessionError::Disabled.into()), (OMP_ERRCODE_UNSUPPORTED, 0));
    }
}
