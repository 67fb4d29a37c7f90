//! The findings for a reader: the verdict, the reasons with their remedies, then the details.

use std::fmt::Write;

use super::callbacks::{Answer, Callbacks};
use super::events::Extent;
use super::findings::{Effect, Findings, Reason, Subject, Sure, Verdict};
use super::found_tool::{Found, Outcome, Place};
use super::observation::{ObservedRun, Role};
use linking::tool::Interface;
use terminal::printable::Shown;

/// Maximum number of names of one kind that are shown.
const NAMES: usize = 5;

/// Text form of all findings.
pub fn render(findings: &Findings) -> String {
    let mut out = format!("{}\n", verdict(findings).shown());
    for (place, reason) in findings.reasons.iter().enumerate() {
        let likely = if reason.sure == Sure::Likely { " (likely)" } else { "" };
        let hides = match reason.effect {
            Effect::HidesAll => "",
            Effect::HidesPart if reason.of_tools() => "",
            Effect::HidesPart => " (hides a part)",
            Effect::Unknown => "",
        };
        let _ = writeln!(out, "\n{}. {}{likely}{hides}", place + 1, reason.what.shown());
        let _ = writeln!(out, "   What to do: {}", reason.what_to_do.shown());
    }
    let _ = writeln!(out);
    for fact in &findings.facts {
        let _ = writeln!(out, "   {:<12}{}", fact.about, fact.says.shown());
    }
    for runtime in &findings.runtimes {
        let _ = writeln!(out, "   {:<12}{}, {}", "runtime", runtime.kind.name(), runtime.path.shown());
        let _ = writeln!(out, "   {:<12}{}", "", runtime.words(findings.verdict != Verdict::NotSeen));
    }
    for tool in &findings.tools {
        let _ = writeln!(out, "   {:<12}{}", "tool", tool_line(tool, findings).shown());
    }
    if let Some(run) = &findings.run {
        happened(&mut out, run);
    }
    events(&mut out, findings);
    out
}

fn tool_line(tool: &Found, findings: &Findings) -> String {
    let place = match tool.found_in {
        Place::Executable => "in the program",
        Place::Preloaded => "preloaded",
        Place::Linked => "a library of the program",
        Place::OmpToolLibraries => "in OMP_TOOL_LIBRARIES",
    };
    let outcome = match tool.outcome {
        Outcome::Asked => "would be called",
        Outcome::AskedIfOthersDecline => "would be called if those before it decline",
        Outcome::RuntimeAsks => "would be called",
        Outcome::NotAsked if findings.run.is_some() || findings.subject == Subject::Process => "was not called",
        Outcome::NotAsked => "would not be called",
        Outcome::Attached => "attached",
        Outcome::Declined => "declined",
        Outcome::Unknown => "can't be known",
    };
    // If there are several reasons, the one that names the tool.
    let named = |reason: &Reason| reason.what.contains(&tool.file.shown().to_string());
    let mut reasons = findings.reasons.iter().enumerate().filter(|(_, reason)| Some(reason.id) == tool.reason);
    let reason = reasons.clone().find(|(_, reason)| named(reason)).or_else(|| reasons.next()).map(|(place, _)| place);
    let why = match reason {
        Some(place) => format!(": see {}", place + 1),
        None if tool.why.is_empty() => String::new(),
        None => format!(": {}", tool.why),
    };
    format!("{} ({}, {place}) {outcome}{why}", tool.file.shown(), tool.interface.name())
}

fn verdict(findings: &Findings) -> String {
    let name = match findings.subject {
        Subject::Process => format!("process {}", findings.name),
        _ => findings.name.clone(),
    };
    let run = findings.subject == Subject::Run;
    let only_tools = findings.reasons.iter().all(Reason::of_tools);
    match (findings.subject, findings.verdict) {
        (Subject::Installation, Verdict::Seen) => "ora is ready: OpenMP programs would be seen".to_owned(),
        (Subject::Installation, _) => "ora is not ready".to_owned(),
        (Subject::Process, Verdict::Seen) => format!("{name}: its OpenMP can be seen"),
        (_, Verdict::Seen) if run => format!("{name}: its OpenMP was seen"),
        (_, Verdict::Seen) => format!("{name}: its OpenMP would be seen"),
        (_, Verdict::PartlySeen) if run && only_tools => format!("{name}: its OpenMP was seen, but NOT by every tool"),
        (_, Verdict::PartlySeen) if only_tools => format!("{name}: its OpenMP would be seen, but NOT by every tool"),
        (_, Verdict::PartlySeen) if run => format!("{name}: part of its OpenMP was NOT seen"),
        (_, Verdict::PartlySeen) => format!("{name}: part of its OpenMP would NOT be seen"),
        (_, Verdict::NotSeen) if run => format!("{name}: nothing was seen"),
        (_, Verdict::NotSeen) => format!("{name}: nothing would be seen"),
        (_, Verdict::Unknown) if run => format!("{name}: there was nothing to see"),
        (_, Verdict::Unknown) => format!("{name}: can't be known before the run"),
    }
}

fn happened(out: &mut String, run: &ObservedRun) {
    let _ = writeln!(out, "   {:<12}the program ended: {}", "run", run.exit);
    let _ = writeln!(
        out,
        "   {:<12}{} seen, {} with OpenMP",
        "",
        terminal::quantity::count(run.regions, "parallel region", "parallel regions"),
        terminal::quantity::count(run.processes_with_openmp as u64, "process", "processes"),
    );
    for binding in &run.bindings {
        let how = match binding.role {
            Role::ToLibrary => "calls libora.so for",
            Role::ToRuntime => continue,
            Role::ToOmptRuntime => "calls",
            Role::Past => "calls, past libora.so,",
        };
        let functions = shortened(binding.functions.iter().map(String::as_str));
        let functions = functions.shown();
        let elsewhere = binding.role != Role::ToLibrary;
        let to = if elsewhere { format!(" of {}", binding.provider.shown()) } else { String::new() };
        let _ = writeln!(out, "   {:<12}{} {how} {functions}{to}", "bound", binding.importer.shown());
    }
}

fn events(out: &mut String, findings: &Findings) {
    for host in ["gomp", "ompt"] {
        let own = || findings.events.iter().filter(move |event| event.host == host);
        if own().next().is_none() {
            continue;
        }
        let all = own().filter(|event| event.raised == Extent::Yes).map(|event| event.name);
        let _ = writeln!(
            out,
            "\nEvents reported on {}: {}. Limits:",
            runtimes_of(host),
            all.collect::<Vec<_>>().join(", ")
        );
        for event in own().filter(|event| event.raised != Extent::Yes) {
            let used = if event.used == Some(true) { " [this program uses it]" } else { "" };
            let _ = writeln!(out, "   {:<16}{:<8}{}{used}", event.name, event.raised.word(), event.why);
        }
        callbacks(out, host, findings);
    }
}

/// Runtimes that an adapter reports.
fn runtimes_of(host: &str) -> &'static str {
    if host == "gomp" { "libgomp" } else { "LLVM's and Intel's runtimes" }
}

/// Section on the OMPT callbacks of an adapter. Omitted if the user doesn't have a tool.
fn callbacks(out: &mut String, host: &str, findings: &Findings) {
    let all = findings.subject == Subject::Installation;
    let found = |interface| all || findings.tools.iter().any(|tool| tool.interface == interface);
    for interface in Interface::ALL.into_iter().filter(|interface| found(*interface)) {
        let _ = writeln!(out, "\nCallbacks of {} on {}: all, always, but:", interface.name(), runtimes_of(host));
        let limits = |row: &&Callbacks| row.host == host && row.interface == interface && row.answer != Answer::Always;
        for row in findings.callbacks.iter().filter(limits) {
            let names = shortened(row.names.iter().copied());
            let _ = writeln!(out, "   {:<16}{names}: {}", row.answer.word(), row.why);
        }
    }
}

/// The first names, and the number of further ones.
fn shortened<'a>(names: impl Iterator<Item = &'a str> + Clone) -> String {
    let shown: Vec<&str> = names.clone().take(NAMES).collect();
    let more = names.count().saturating_sub(NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
