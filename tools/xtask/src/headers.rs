//! The headers that C programs include, made from the crates by cbindgen.

use anyhow::{Context, Result, bail};
use cbindgen::{Builder, Config, DocumentationStyle, ItemType, Language, Style};

use crate::{difference, workspace};

/// Where the enums are, from the root.
const SOURCE: &str = "ora/src/codes.rs";
/// Where the header goes, from the root.
const HEADER: &str = "headers/omp_collector_api.h";
/// Each enum, and the name that the white paper gives it.
const NAMES: [(&str, &str); 4] = [
    ("Request", "OMP_COLLECTORAPI_REQUEST"),
    ("ErrorCode", "OMP_COLLECTORAPI_EC"),
    ("EventNumber", "OMP_COLLECTORAPI_EVENT"),
    ("ThreadState", "OMP_COLLECTOR_API_THR_STATE"),
];

/// Writes the headers, or with `check` fails when one in the checkout is stale.
pub(crate) fn generate(check: bool) -> Result<()> {
    let path = workspace::root().join(HEADER);
    let text = collector_api()?;
    if check {
        difference::check(&path, &text, "cargo xtask headers")?;
        println!("{HEADER} is what {SOURCE} says");
    } else {
        workspace::write(&path, &text)?;
        println!("wrote {HEADER} from {SOURCE}");
    }
    Ok(())
}

/// The text of `omp_collector_api.h`.
fn collector_api() -> Result<String> {
    let source = workspace::root().join(SOURCE);
    let bindings = Builder::new()
        .with_src(&source)
        .with_config(config())
        .generate()
        .with_context(|| format!("cbindgen can't read {SOURCE}"))?;
    let mut bytes = Vec::new();
    bindings.write(&mut bytes);
    let text = String::from_utf8(bytes).context("cbindgen wrote what is no UTF-8")?;
    // An enum that cbindgen can't see is left out without a word.
    for (rust, c) in NAMES {
        if !text.contains(&format!("}} {c};")) {
            bail!("cbindgen left {rust} ({c}) out: {SOURCE} must spell it as a plain `#[repr(C)] pub enum`");
        }
    }
    Ok(text)
}

fn config() -> Config {
    let mut config = Config {
        language: Language::C,
        style: Style::Type,
        no_includes: true,
        // The guard is in the templates: cbindgen would close its own in front of the functions.
        header: Some(
            concat!(
                include_str!("../templates/collector_api_notice.txt"),
                include_str!("../templates/collector_api_protocol.txt")
            )
            .trim_end()
            .to_owned(),
        ),
        trailer: Some(include_str!("../templates/collector_api_functions.txt").trim().to_owned()),
        documentation: true,
        documentation_style: DocumentationStyle::Doxy,
        tab_width: 4,
        line_length: 120,
        ..Config::default()
    };
    config.export.item_types = vec![ItemType::Enums];
    config.export.include = NAMES.iter().map(|(rust, _)| (*rust).to_owned()).collect();
    config.export.rename = NAMES.iter().map(|(rust, c)| ((*rust).to_owned(), (*c).to_owned())).collect();
    config
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn the_notice_stands_first_and_every_number_is_explicit() {
        let text = collector_api().unwrap();
        assert!(text.starts_with("/*\n * Copyright (c) 2006, 2007, OpenMP Architecture Review Board.\n"));
        for name in ["OMP_REQ_START = 0", "OMP_ERRCODE_LAST = 8", "OMP_EVENT_LAST = 4097", "THR_LAST_STATE = 17"] {
            assert!(text.contains(&format!("{name},")), "{name}");
        }
    }
    /// Compiles `header`, included twice, as `standard` with every warning an error.
    fn compiles(compiler: &str, standard: &str, language: &str, header: &str) {
        let folder = workspace::target().join("xtask-tests").join(standard);
        let path = folder.join("omp_collector_api.h");
        workspace::write(&path, header).unwrap();
        let program = "#include \"omp_collector_api.h\"\n#include \"omp_collector_api.h\"\n\
            static void seen(OMP_COLLECTORAPI_EVENT event) { (void)event; }\n\
            int main(void) { OMP_COLLECTORAPI_CALLBACK call = seen; call(OMP_EVENT_FORK); return 0; }\n";
        workspace::write(&folder.join("includes"), program).unwrap();
        workspace::run(
            Command::new(compiler)
                .current_dir(&folder)
                .arg(format!("-std={standard}"))
                .args(["-Wall", "-Wextra", "-pedantic", "-Werror", "-I.", "-c", "-o", "includes.o"])
                .args(["-x", language, "includes"]),
        )
        .unwrap();
    }

    #[test]
    fn the_header_compiles_without_a_warning_as_c_and_as_cpp() {
        let text = collector_api().unwrap();
        for standard in ["c99", "c11", "c17"] {
            compiles("gcc", standard, "c", &text);
        }
        for standard in ["c++11", "c++17"] {
            compiles("g++", standard, "c++", &text);
        }
    }
}
