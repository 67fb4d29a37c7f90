//! The guide's samples, built and run by the guide's commands.

use std::fs;

use compat_tests::checkout::{Checkout, blocks};
use compat_tests::library::project_dir;

/// Text of a page of the guide.
fn page(name: &str) -> String {
    let path = project_dir().join("docs/guide").join(name);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Commands at the top of a page: its first indented lines.
fn commands(page: &str) -> String {
    let from_first = page.lines().skip_while(|line| !line.starts_with("    "));
    from_first.take_while(|line| line.starts_with("    ")).map(|line| line.trim().to_owned() + "\n").collect()
}

/// Runs the commands of a page, and compares their output with the one that the page shows.
fn try_page(checkout: &Checkout, name: &str) {
    let page = page(name);
    let said = checkout.run(&commands(&page));
    for line in blocks(&page, "text")[0].lines() {
        assert!(said.lines().any(|its| its == line), "{name}: no `{line}` in\n{said}");
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn the_samples_of_collectors_tools_and_runtimes_say_what_the_guide_says() {
    let test = "the_samples_of_collectors_tools_and_runtimes_say_what_the_guide_says";
    let Some(checkout) = Checkout::new(env!("CARGO_TARGET_TMPDIR"), test) else { return };
    // Builds the program that all of them watch.
    checkout.run(commands(&page("stat.md")).lines().next().unwrap());
    for name in ["collector.md", "tr2-tool.md", "openmp5-tool.md", "runtime.md"] {
        try_page(&checkout, name);
    }
}

#[test]
fn the_sample_in_rust_is_that_of_the_crates_documentation() {
    // The crate's README is its documentation.
    let documentation = fs::read_to_string(project_dir().join("tools/sdk/ompt-tool/README.md")).unwrap();
    let documentation: String = documentation.lines().map(|line| line.trim_start().to_owned() + "\n").collect();
    let sample = &blocks(&page("rust-tool.md"), "rust")[0];
    let sample: String = sample.lines().map(|line| line.trim_start().to_owned() + "\n").collect();
    assert!(documentation.contains(&sample), "cargo test compiles another sample than\n{sample}");
}
