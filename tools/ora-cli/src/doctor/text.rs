//! The findings for a reader: the verdict, the reasons with their ways out, then the details.

use std::fmt::Write;

use super::events::Extent;
use super::findings::{Effect, Findings, Subject, Sure, Verdict};
use super::watched::{Role, Watched};

/// So many function names are shown of one binding.
const NAMES: usize = 4;

/// The whole text.
pub(super) fn render(findings: &Findings) -> String {
    let mut out = format!("{}\n", verdict(findings));
    for (place, reason) in findings.reasons.iter().enumerate() {
        let likely = if reason.sure == Sure::Likely { " (likely)" } else { "" };
        let hides = match reason.effect {
            Effect::HidesAll => "",
            Effect::HidesPart => " (hides a part)",
            Effect::Unknown => "",
        };
        let _ = writeln!(out, "\n{}. {}{likely}{hides}", place + 1, reason.what);
        let _ = writeln!(out, "   What to do: {}", reason.what_to_do);
    }
    let _ = writeln!(out);
    for fact in &findings.facts {
        let _ = writeln!(out, "   {:<12}{}", fact.about, fact.says);
    }
    for runtime in &findings.runtimes {
        let _ = writeln!(out, "   {:<12}{}, {}", "runtime", runtime.kind.name(), runtime.path.display());
        let _ = writeln!(out, "   {:<12}{}", "", runtime.service.words(findings.verdict != Verdict::NotSeen));
    }
    if let Some(run) = &findings.run {
        happened(&mut out, run);
    }
    events(&mut out, findings);
    out
}

fn verdict(findings: &Findings) -> String {
    let name = match findings.subject {
        Subject::Process => format!("process {}", findings.name),
        _ => findings.name.clone(),
    };
    let run = findings.subject == Subject::Run;
    match (findings.subject, findings.verdict) {
        (Subject::Installation, Verdict::Seen) => "ora is ready: gcc's OpenMP programs would be seen".to_owned(),
        (Subject::Installation, _) => "ora is not ready".to_owned(),
        (Subject::Process, Verdict::Seen) => format!("{name}: its OpenMP can be seen"),
        (_, Verdict::Seen) if run => format!("{name}: its OpenMP was seen"),
        (_, Verdict::Seen) => format!("{name}: its OpenMP would be seen"),
        (_, Verdict::PartlySeen) if run => format!("{name}: a part of its OpenMP was NOT seen"),
        (_, Verdict::PartlySeen) => format!("{name}: a part of its OpenMP would NOT be seen"),
        (_, Verdict::NotSeen) if run => format!("{name}: nothing was seen"),
        (_, Verdict::NotSeen) => format!("{name}: nothing would be seen"),
        (_, Verdict::Unknown) if run => format!("{name}: there was nothing to see"),
        (_, Verdict::Unknown) => format!("{name}: can't be known before the run"),
    }
}

fn happened(out: &mut String, run: &Watched) {
    let _ = writeln!(out, "   {:<12}the program ended: {}", "run", run.ending);
    let _ = writeln!(
        out,
        "   {:<12}{} seen, {} with OpenMP",
        "",
        crate::quantity::count(run.regions, "parallel region", "parallel regions"),
        crate::quantity::count(run.processes_with_openmp as u64, "process", "processes"),
    );
    for binding in &run.bindings {
        let how = match binding.role {
            Role::ToLibrary => "calls libora.so for",
            Role::ToRuntime => continue,
            Role::Past => "calls, past libora.so,",
        };
        let shown: Vec<&str> = binding.functions.iter().take(NAMES).map(String::as_str).collect();
        let more = binding.functions.len().saturating_sub(NAMES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let to = if binding.role == Role::Past { format!(" of {}", binding.provider.display()) } else { String::new() };
        let _ = writeln!(out, "   {:<12}{} {how} {}{more}{to}", "bound", binding.importer.display(), shown.join(", "));
    }
}

fn events(out: &mut String, findings: &Findings) {
    let limits: Vec<_> = findings.events.iter().filter(|event| event.raised != Extent::Yes).collect();
    if limits.is_empty() {
        return;
    }
    let all = findings.events.iter().filter(|event| event.raised == Extent::Yes).map(|event| event.name);
    let _ = writeln!(out, "\nThe gomp host raises {}. Limits:", all.collect::<Vec<_>>().join(", "));
    for event in limits {
        let used = if event.used == Some(true) { " [this program uses it]" } else { "" };
        let _ = writeln!(out, "   {:<16}{:<8}{}{used}", event.name, event.raised.word(), event.why);
    }
}
