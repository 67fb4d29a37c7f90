//! The tool's session: from its `ompt_initialize` to the runtime's shutdown, or to a fork in the child.

use super::callback_period::{self, close};
use super::{callbacks, deliver, tool};
use crate::detail::Detail;
use crate::dispatch::{self, Interface};
use crate::event::Event;
use crate::runtime_info::RuntimeInfo;
use crate::tool_log::{Outcome, ToolKind, ToolLog};
use crate::{first_use, thread};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering::*};
use system::errno::Errno;

/// True once a tool has been found and asked.
static FOUND: AtomicBool = AtomicBool::new(false);

/// True if [`initialize`] has found a tool and asked it.
pub fn has_tool() -> bool {
    FOUND.load(Relaxed)
}

/// Looks for a tool and asks it (TR2, 6.1.1), at the first use of the runtime in this process or since a fork. True if
/// it accepts; its registrations are the interface's subscription from then on.
pub fn initialize(runtime_info: &RuntimeInfo) -> bool {
    let errno = Errno::save();
    let log = ToolLog::open(ToolKind::Tr2);
    let open = tool::find(&log).is_some_and(|tool| {
        let yes = ask(&tool, runtime_info);
        log.says(if yes { Outcome::Attached } else { Outcome::Declined });
        yes
    });
    errno.restore();
    open
}

fn ask(tool: &tool::Tool, runtime_info: &RuntimeInfo) -> bool {
    close();
    FOUND.store(true, Relaxed);
    dispatch::install(Interface::Tr2, &deliver::CALLBACKS);
    dispatch::subscription(Interface::Tr2).open();
    let registration = callbacks::Registration::open();
    let yes = tool.initialize(runtime_info);
    drop(registration);
    if yes {
        callback_period::open();
    } else {
        callbacks::clear();
    }
    yes
}

/// Ends the session, which was the parent's. Called in a forked child: the child's own session begins when the child
/// uses its runtime.
pub fn after_fork() {
    close();
}

/// Reports a call of `ompt_control` by the program (TR2, 7). The call also counts as a use of the runtime: the first
/// thing that a program does may be to start its tool.
pub fn control(command: u64, modifier: u64) {
    if first_use::is_awaited() {
        first_use::handle();
    }
    if !dispatch::subscription(Interface::Tr2).events().has(Event::Control) {
        return;
    }
    if let Some(thread) = thread::here() {
        let answer = Cell::new(0);
        let detail = Detail::Control { command, modifier, argument: 0, answer: &answer };
        thread.raise_for(Interface::Tr2, Event::Control, &detail);
    }
}
