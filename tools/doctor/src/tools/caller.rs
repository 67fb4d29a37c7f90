//! The component that asks tools in a program: the library; a runtime with its own OMPT, if the library is absent; or
//! none.

use super::{ProgramContext, tool_runtimes};
use crate::findings::{Effect, Findings};
use crate::found_tool::{Found, Outcome, Place};
use crate::runtime::{Kind, Runtime, Service};
use linking::tool::Interface;

/// Component that asks the tools of one interface.
#[derive(Debug)]
pub(super) enum Caller {
    /// libora.so, at the first use of libgomp, until a tool starts.
    Library,
    /// libora.so, as the tool of a runtime with OMPT, followed by every tool that starts.
    Multiplexer,
    /// A runtime with OMPT.
    Runtime(Kind),
    /// None, with the identifier of the reason.
    Nobody(&'static str),
    /// Not known before the run, with the reason.
    Unknown(String),
}

impl Caller {
    pub(super) fn asks(interface: Interface, context: &ProgramContext<'_>, findings: &Findings) -> Self {
        if context.tool_variables.turn_tools_off() {
            return Self::Nobody("tool_disabled");
        }
        let hides = |ids: &[&str]| findings.reasons.iter().find(|r| ids.contains(&r.id)).map(|reason| reason.id);
        let unseen = findings.reasons.iter().any(|reason| reason.effect == Effect::HidesAll);
        let has_ompt =
            |runtime: &&Runtime| runtime.kind.has_ompt() && !tool_runtimes::is_for_tools(context, &runtime.path);
        let runtime = findings.runtimes.iter().find(has_ompt);
        if let Some(runtime) = runtime.filter(|_| interface == Interface::OpenMp5) {
            return match hides(&["interpreter_missing", "library_not_found", "other_machine"]) {
                Some(reason) => Self::Nobody(reason),
                None if runtime.service == Service::BuiltIn => {
                    Self::Unknown(format!("{} is linked in, and may ask it or not", runtime.kind.name()))
                }
                None if unseen => Self::Runtime(runtime.kind),
                None => Self::Multiplexer,
            };
        }
        if let Some(reason) = findings.reasons.iter().find(|reason| reason.effect == Effect::HidesAll) {
            return Self::Nobody(reason.id);
        }
        if findings.runtimes.iter().any(|runtime| matches!(runtime.service, Service::Reported | Service::Instrumented))
        {
            return Self::Library;
        }
        Self::Unknown("it depends on which runtime is loaded later".to_owned())
    }

    /// Corrects the outcome of the tools that would be asked.
    pub(super) fn judge(&self, tools: &mut [Found]) {
        for tool in tools.iter_mut().filter(|tool| tool.outcome != Outcome::NotAsked) {
            match self {
                Self::Library => {}
                Self::Multiplexer => {
                    if tool.found_in == Place::OmpToolLibraries {
                        tool.set(Outcome::Asked, "");
                    }
                }
                Self::Runtime(kind) if tool.unexported => {
                    tool.set(
                        Outcome::NotAsked,
                        format!("{} doesn't find what the program doesn't export", kind.name()),
                    );
                }
                Self::Runtime(kind) if tool.outcome == Outcome::AskedIfOthersDecline => {
                    tool.set(Outcome::RuntimeAsks, format!("by {}, if those before it decline", kind.name()));
                }
                Self::Runtime(kind) => tool.set(Outcome::RuntimeAsks, format!("by {}", kind.name())),
                Self::Nobody(reason) => tool.because(reason),
                Self::Unknown(why) => tool.set(Outcome::Unknown, why.clone()),
            }
        }
    }
}
