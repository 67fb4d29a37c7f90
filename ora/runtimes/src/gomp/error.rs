//! Error directives at execution time: `GOMP_warning`, and `GOMP_error`, which ends the program.

use super::call_data::Message;
use super::instance::{PendingCall, Target};
use ompt_core::detail::Detail;
use ompt_core::event::Event;
use ompt_core::thread::here;
use ompt_core::tls;

/// `GOMP_warning` (`FATAL` 0) and `GOMP_error` (1): message, length.
#[inline(always)]
pub(super) fn directive<T: Target<Arguments = (Message, usize), Result = ()>, const FATAL: u8>(
    call: PendingCall<'_, T>,
) {
    let (message, length) = call.arguments();
    if let Some(thread) = here() {
        let within = tls::call();
        let detail = Detail::Error { is_fatal: FATAL != 0, message: message.text(length) };
        thread.current.in_runtime(within, || thread.raise_with(Event::Error, &detail));
    }
    call.go_on();
}
