//! JSON Schemas of the documents, and the tables in their pages, which tests beside the documents' types make.

use anyhow::Result;

use crate::{test_compiler, workspace};

/// Writes the schemas and tables or, with `check`, fails if one in the checkout is stale.
pub(crate) fn generate(check: bool) -> Result<()> {
    let mut command = workspace::cargo();
    // As the gate builds its tests: fewer packages would have other features, and be compiled anew.
    command.args(["test", "--release", "--quiet", "--workspace", "--exclude", "xtask", "--exclude", "bench"]);
    command.args(["--lib", "schema_and_page_are_current"]);
    test_compiler::set(&mut command);
    if !check {
        command.env("ORA_WRITE_SCHEMAS", "1");
    }
    workspace::run(&mut command)
}
