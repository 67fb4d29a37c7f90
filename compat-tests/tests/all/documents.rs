//! Test names in documents: every test that a page cites exists.

use std::fs;
use std::path::{Path, PathBuf};

use compat_tests::library::project_dir;

/// Appends all Rust sources below a folder, except for build products.
fn sources(folder: &Path, into: &mut String) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "target" && name != ".git") {
                sources(&path, into);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            *into += &fs::read_to_string(&path).unwrap_or_default();
        }
    }
}

/// Possible test names: texts in backquotes in the last cells of a page's tables.
fn named(page: &str) -> Vec<String> {
    let cells = page.lines().filter_map(|line| line.strip_suffix(" |")?.rsplit(" | ").next());
    let names = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let is_name = |name: &&str| name.contains('_') && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    names.filter(is_name).map(str::to_owned).collect()
}

#[test]
fn each_test_that_a_page_names_is_in_the_sources() {
    let mut all = String::new();
    sources(project_dir(), &mut all);
    for (page, least) in [("robustness.md", 30), ("threats.md", 20)] {
        let path: PathBuf = project_dir().join("docs").join(page);
        let names = named(&fs::read_to_string(&path).unwrap_or_default());
        assert!(names.len() >= least, "{page} names {} tests", names.len());
        for name in names {
            // Matches a function, or a claim in a table of claims.
            let there = all.contains(&format!("fn {name}(")) || all.contains(&format!(" {name}:"));
            assert!(there, "{page}: there is no test `{name}`");
        }
    }
}
