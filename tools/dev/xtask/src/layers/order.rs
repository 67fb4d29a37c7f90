//! Order of crates: each may only depend on crates of lower levels. Dependencies of tests are ignored.

use super::crates::Crate;

/// Folders of crates by level, highest first.
const LEVELS: [&[&str]; 14] = [
    &[COMMAND],
    // Views of a command.
    &["tools/scale", "tools/tune", "tools/top", "tools/diff", "tools/doctor"],
    // Analyses: from recordings to figures, and from a process to its activity.
    &["tools/stat/analysis", "tools/trace/analysis", "tools/race/analysis", "tools/hang", "tools/validate/analysis"],
    &["tools/profile/analysis", "tools/attach/outside", "tools/requests/decode"],
    &["tools/advice"],
    &["tools/symbols", "tools/linking", "tools/page"],
    &["tools/terminal", "tools/json", "tools/statistics"],
    &["tools/untrusted"],
    // Knowledge shared by both sides: the command, and the libraries preloaded into programs.
    SHARED,
    &["tools/attach/inside", "tools/reserve-allocator", "tools/sdk/ompt-tool", "tools/sdk/ora-client"],
    &["ora"],
    &["ora/runtimes", "ora/start-tool"],
    &["ompt-core", "ora/region-settings", "ora/call-sites"],
    &["ompt-core/abi", "ompt-core/system"],
];

/// Formats of files, and layouts of memory.
const SHARED: &[&str] = &[
    "tools/profile/format",
    "tools/trace/format",
    "tools/trace/otf2",
    "tools/race/format",
    "tools/requests/format",
    "tools/stat/layout",
    "tools/validate/layout",
];

/// The command. No other crate depends on it.
const COMMAND: &str = "tools/ora";

/// Libraries that are preloaded into programs: they may use the shared crates, those for third parties, and the system.
const PRELOADED: [&str; 7] = [
    "tools/stat/collector",
    "tools/profile/collector",
    "tools/trace/recorder",
    "tools/race/detector",
    "tools/validate/tool",
    "tools/requests/log",
    "tools/exec-guard",
];

/// Library that is preloaded into all programs. The command depends on it and on [`PRELOADED`] only so that cargo builds them; none of
/// their code is linked into it.
const LIBRARY: &str = "ora";

/// Crates of the core that tools may depend on.
const FOR_TOOLS: [&str; 4] = ["ompt-core/abi", "ompt-core/system", "ora/region-settings", "ora/call-sites"];

/// Folders of crates that may use all others, but that no others may use.
const FREE: [&str; 3] = ["tools/dev/", "compat-tests", "examples/"];

/// Messages for dependencies that violate the order, and for crates without a level.
pub(super) fn misplaced(crates: &[Crate]) -> Vec<String> {
    let mut lines = Vec::new();
    for it in crates {
        let from = it.folder();
        if !is_free(&from) && !is_preloaded(&from) && level(&from).is_none() {
            lines.push(format!("{from}: has no level in layers/order.rs"));
        }
        let wrong = it.uses().filter(|to| !may_use(&from, to));
        lines.extend(wrong.map(|to| format!("{from} -> {to}: against the order of crates")));
    }
    lines
}

/// True for a crate whose code runs inside of programs: what is preloaded, and the crates that it may use.
pub(super) fn runs_in_programs(folder: &str) -> bool {
    is_preloaded(folder) || level(folder).is_some_and(|level| level >= shared())
}

fn may_use(from: &str, to: &str) -> bool {
    if is_free(from) || is_free(to) {
        return is_free(from);
    }
    if from == COMMAND && (to == LIBRARY || is_preloaded(to)) {
        return true;
    }
    if from.starts_with("tools/") && !to.starts_with("tools/") && !FOR_TOOLS.contains(&to) {
        return false;
    }
    let Some(theirs) = level(to) else { return false };
    if is_preloaded(from) {
        return theirs >= shared();
    }
    level(from).is_some_and(|own| own < theirs)
}

/// Number of the level; the highest level has the smallest number.
fn level(folder: &str) -> Option<usize> {
    LEVELS.iter().position(|level| level.contains(&folder))
}

/// Level of the shared crates.
fn shared() -> usize {
    SHARED.first().and_then(|folder| level(folder)).unwrap_or_default()
}

fn is_preloaded(folder: &str) -> bool {
    PRELOADED.contains(&folder)
}

fn is_free(folder: &str) -> bool {
    FREE.iter().any(|free| folder.starts_with(free))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_use_lower_levels_and_the_command_alone_names_what_is_preloaded() {
        for (from, to, may) in [
            ("tools/ora", "tools/scale", true),
            ("tools/scale", "tools/ora", false),
            ("tools/scale", "tools/tune", false),
            ("tools/symbols", "tools/advice", false),
            ("tools/ora", "ora", true),
            ("tools/ora", "tools/stat/collector", true),
            ("tools/stat/analysis", "tools/stat/collector", false),
            ("tools/stat/analysis", "ompt-core", false),
            ("tools/stat/collector", "tools/stat/layout", true),
            ("tools/stat/collector", "tools/untrusted", false),
            ("tools/stat/collector", "tools/trace/recorder", false),
            ("ora/runtimes", "ompt-core", true),
            ("ompt-core", "ora/runtimes", false),
            ("tools/dev/bench", "tools/stat/collector", true),
            ("tools/stat/analysis", "tools/dev/bench", false),
        ] {
            assert_eq!(may_use(from, to), may, "{from} -> {to}");
        }
    }
}
