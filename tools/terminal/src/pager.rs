//! A pager for text that is longer than the screen.

use std::env;
use std::io::Write;
use std::process::{Command, Stdio};

/// Environment variables that name the pager, in order of precedence.
const NAMED_BY: [&str; 2] = ["ORA_PAGER", "PAGER"];
const USUAL: &str = "less";
/// Exit codes of a shell whose command is missing or can't be executed.
const NOT_STARTED: [i32; 2] = [126, 127];

/// Shows the text in a pager and waits until the user quits it. Calls `before` immediately before the pager is
/// started, and `meanwhile` while it runs.
///
/// Returns false if no pager is set, or if it doesn't start.
pub fn show(text: &str, before: impl FnOnce(), meanwhile: impl FnOnce()) -> bool {
    let named = NAMED_BY.iter().find_map(|variable| env::var(variable).ok());
    let command = named.unwrap_or_else(|| USUAL.to_owned());
    if matches!(command.trim(), "" | "cat") {
        return false;
    }
    before();
    let plain = |c: char| c.is_ascii_alphanumeric() || " /._-+,@%:".contains(c);
    let mut words = command.split_whitespace();
    let mut pager = match words.next() {
        Some(program) if command.chars().all(plain) => {
            let mut pager = Command::new(program);
            pager.args(words);
            pager
        }
        _ => {
            let mut pager = Command::new("sh");
            pager.args(["-c", &command]);
            pager
        }
    };
    pager.stdin(Stdio::piped());
    // Exit at the end of a short text, show styles, and leave the text on the screen: the same defaults as git's.
    for (variable, options) in [("LESS", "FRX"), ("LV", "-c")] {
        if env::var_os(variable).is_none() {
            pager.env(variable, options);
        }
    }
    let Ok(mut child) = pager.spawn() else { return false };
    meanwhile();
    if let Some(mut input) = child.stdin.take() {
        // A user who quits the pager before the end has seen enough, so write errors are ignored.
        let _ = input.write_all(text.as_bytes());
    }
    !child.wait().is_ok_and(|status| status.code().is_some_and(|code| NOT_STARTED.contains(&code)))
}
