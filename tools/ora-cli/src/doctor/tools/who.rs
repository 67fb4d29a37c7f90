//! Who asks tools in a program: we, where it runs on libgomp; a runtime with OMPT of its own; or nobody.

use std::ffi::OsStr;

use super::{Found, Outcome, Scene};
use crate::doctor::findings::{Effect, Findings};
use crate::doctor::runtime::{Kind, Service};
use crate::tool::Interface;

/// Who asks tools of one interface.
#[derive(Debug)]
pub(super) enum Who {
    /// libora.so, at the first use of libgomp.
    Library,
    /// This runtime.
    Runtime(Kind),
    /// Nobody, for a reason that is told.
    Nobody(&'static str),
    /// That can't be known.
    Unknown(String),
}

/// Whether `OMP_TOOL` turns tools off (TR2, 6.2; OpenMP 5.0, 6.18).
pub(super) fn is_disabled(value: &OsStr) -> bool {
    value.to_string_lossy().trim().eq_ignore_ascii_case("disabled")
}

impl Who {
    pub(super) fn asks(interface: Interface, scene: &Scene<'_>, findings: &Findings) -> Self {
        if scene.wishes.tool.as_deref().is_some_and(is_disabled) {
            return Self::Nobody("tool_disabled");
        }
        let hides = |ids: &[&str]| findings.reasons.iter().find(|r| ids.contains(&r.id)).map(|reason| reason.id);
        let rival = findings.runtimes.iter().find(|runtime| runtime.kind != Kind::Gnu);
        if let Some(rival) = rival.filter(|_| interface == Interface::OpenMp5) {
            return match hides(&["interpreter_missing", "library_not_found", "other_machine"]) {
                Some(reason) => Self::Nobody(reason),
                None if rival.service == Service::BuiltIn => {
                    Self::Unknown(format!("{} is linked in, and may ask it or not", rival.kind.name()))
                }
                None => Self::Runtime(rival.kind),
            };
        }
        if let Some(reason) = findings.reasons.iter().find(|reason| reason.effect == Effect::HidesAll) {
            return Self::Nobody(reason.id);
        }
        if findings.runtimes.iter().any(|runtime| runtime.service == Service::Reported) {
            return Self::Library;
        }
        Self::Unknown("it depends on which runtime is loaded later".to_owned())
    }

    /// Corrects what becomes of the tools that would be asked.
    pub(super) fn judge(&self, tools: &mut [Found]) {
        for tool in tools.iter_mut().filter(|tool| tool.outcome != Outcome::NotAsked) {
            match self {
                Self::Library => {}
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
