//! Tests of the dispatch of events.

use super::*;
use crate::thread::here;
use system::errno::Errno;

const BEGIN: Event = Event::ParallelBegin;
const END: Event = Event::ParallelEnd;

/// Runs in a frame of its own, like code in a callback.
#[inline(never)]
fn inside(interface: Interface) -> bool {
    is_inside(here().unwrap().callback.pin(interface))
}

#[inline(never)]
fn notified(interface: Interface) -> Token {
    invoke(interface, BEGIN, here().unwrap(), 7, || Some(|| ()))
}

#[test]
fn a_callback_runs_pinned_and_leaves_errno_as_it_was() {
    let thread = here().unwrap();
    let before = Errno::save();
    thread.callback.errno().set(libc::EAGAIN);
    let call = || {
        assert!(inside(Interface::Ora) && !inside(Interface::Tr2));
        thread.callback.errno().set(libc::EINVAL);
    };
    assert_eq!(invoke(Interface::Ora, BEGIN, thread, 7, || Some(call)), Token::of(Interface::Ora, 7));
    assert_eq!((thread.callback.errno().get(), inside(Interface::Ora)), (libc::EAGAIN, false));
    before.restore();
}

#[test]
fn the_pin_is_set_before_the_callback_is_looked_up_and_goes_where_there_is_none() {
    let thread = here().unwrap();
    let none = || {
        assert!(inside(Interface::Ora));
        None::<fn()>
    };
    assert_eq!(invoke(Interface::Ora, BEGIN, thread, 7, none), Token::NONE);
    assert!(!thread.callback.pin(Interface::Ora).is_set());
}

#[test]
fn a_callback_declines_the_event_that_follows_and_no_other() {
    use Event::{ExplicitBarrierWaitBegin, TaskCreateBegin, TaskWaitBegin};
    let decline = || tls::answer(DECLINE);
    let thread = here().unwrap();
    let raise = |interface, event, call: fn()| invoke(interface, event, thread, 7, || Some(call));
    let (ora, tr2) = (Token::of(Interface::Ora, 7), Token::of(Interface::Tr2, 7));
    // The end of a wait is reported to the sessions in the token.
    assert_eq!(raise(Interface::Ora, TaskWaitBegin, decline), Token::NONE);
    assert_eq!(raise(Interface::Ora, TaskWaitBegin, || ()), ora, "declined once");
    // A queued task's creation has an end of its own.
    assert_eq!(raise(Interface::Ora, TaskCreateBegin, decline), ora);
    assert_eq!((thread.answers.take_creation(), thread.answers.take_creation()), (DECLINE, 0));
    assert_eq!(raise(Interface::Tr2, TaskWaitBegin, decline), tr2, "only collectors decline");
    assert_eq!(tls::take_answer(), DECLINE);
    assert_eq!(raise(Interface::Ora, ExplicitBarrierWaitBegin, decline), ora, "nothing to be declined");
    assert_eq!((tls::take_answer(), tls::take_answer()), (DECLINE, 0));
}

#[test]
fn the_start_of_a_regions_body_is_stamped_once_if_the_collector_asks_in_the_callback_of_its_begin() {
    let thread = here().unwrap();
    let ask = || tls::answer(crate::answer::STAMP_NS | DECLINE);
    let token = invoke(Interface::Ora, BEGIN, thread, 7, || Some(ask));
    assert_eq!(token, Token::of(Interface::Ora, 7), "the end of a region is not declined");
    let before = system::clock::monotonic_ns();
    crate::at_once::Clock::of_body(&thread.answers).stamp::<{ crate::at_once::stage::BEGUN }>();
    let stamped = tls::begun_stamp() as u64;
    assert!(stamped >= before, "{stamped} {before}");
    crate::at_once::Clock::of_body(&thread.answers).stamp::<{ crate::at_once::stage::BEGUN }>();
    assert_eq!(tls::begun_stamp() as u64, stamped);
}

#[test]
fn inside_of_a_callback_only_other_interfaces_are_notified() {
    let thread = here().unwrap();
    let call =
        || assert_eq!([Interface::Ora, Interface::Tr2].map(notified), [Token::NONE, Token::of(Interface::Tr2, 7)]);
    assert_eq!(invoke(Interface::Ora, END, thread, 7, || Some(call)), Token::NONE);
    assert_eq!(notified(Interface::Ora), Token::of(Interface::Ora, 7));
}
