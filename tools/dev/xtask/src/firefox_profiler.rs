//! The Firefox Profiler as a command, for the test that reads the output of `ora report --firefox` with it.

use std::env;
use std::ffi::OsString;
use std::process::{Command, Stdio};

use anyhow::Result;

use crate::workspace;

/// Package and version whose output the test expects.
const PACKAGE: &str = "@firefox-devtools/profiler-cli@0.10.0";

/// Finds or installs the command: the path in `ORA_TEST_FIREFOX_PROFILER`, or a copy in the target folder, fetched by
/// npm if that is installed. `None`, with a warning, if it isn't available. Nothing else needs node, so that is no
/// error, on CI neither.
pub(crate) fn prepare(warnings: &mut Vec<String>) -> Result<Option<OsString>> {
    if let Some(named) = env::var_os("ORA_TEST_FIREFOX_PROFILER") {
        return Ok(Some(named));
    }
    let folder = workspace::target().join("firefox-profiler");
    let command = folder.join("node_modules/.bin/profiler-cli");
    if !works(&command) {
        println!("fetching {PACKAGE} to {}", folder.display());
        let fetched = workspace::run(
            Command::new("npm")
                .args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"])
                .arg(&folder)
                .arg(PACKAGE),
        );
        let why = match fetched {
            Err(error) => error.to_string(),
            Ok(()) if works(&command) => return Ok(Some(command.into_os_string())),
            Ok(()) => "it doesn't run with this node".to_owned(),
        };
        warnings.push(format!("the Firefox Profiler reads no file of ours: SKIPPED: {why}. To have it: node and npm"));
        return Ok(None);
    }
    Ok(Some(command.into_os_string()))
}

fn works(command: &std::path::Path) -> bool {
    let mut command = Command::new(command);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
