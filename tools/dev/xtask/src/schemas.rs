//! JSON Schemas of the documents, and the tables in their pages, which tests in the crates of the documents' types generate.

use anyhow::Result;

use crate::{test_compiler, workspace};

/// Writes the schemas and tables or, with `check`, fails if one in the checkout is stale.
pub(crate) fn generate(check: bool) -> Result<()> {
    let mut command = workspace::cargo();
    // The same command as in the gate: with fewer packages, features would differ, and everything would be recompiled.
    command.args(["test", "--release", "--quiet", "--workspace", "--exclude", "xtask", "--exclude", "bench"]);
    command.args(["--lib", "schema_and_page_are_current"]);
    test_compiler::set(&mut command);
    if !check {
        command.env("ORA_WRITE_SCHEMAS", "1");
    }
    workspace::run(&mut command)
}
