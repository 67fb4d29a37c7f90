//! The headers that C programs include, made from the crates by cbindgen.

mod collector_api;
mod embed;

use anyhow::{Context, Result, bail};
use cbindgen::{Builder, Config, DocumentationStyle, Language, Style};

use crate::{difference, workspace};

/// One header: where it goes and comes from (from the root), its types (in Rust and in C), and the rest of its shape.
struct Header {
    path: &'static str,
    sources: &'static [&'static str],
    types: &'static [(&'static str, &'static str)],
    config: fn(&mut Config),
}

const HEADERS: [&Header; 2] = [&collector_api::HEADER, &embed::HEADER];

/// Writes the headers, or with `check` fails when one in the checkout is stale.
pub(crate) fn generate(check: bool) -> Result<()> {
    for header in HEADERS {
        let path = workspace::root().join(header.path);
        let text = header.text()?;
        if check {
            difference::check(&path, &text, "cargo xtask headers")?;
            println!("{} is what {} says", header.path, header.sources.join(", "));
        } else {
            workspace::write(&path, &text)?;
            println!("wrote {} from {}", header.path, header.sources.join(", "));
        }
    }
    Ok(())
}

impl Header {
    fn text(&self) -> Result<String> {
        let mut config = Config {
            language: Language::C,
            style: Style::Type,
            no_includes: true,
            documentation: true,
            documentation_style: DocumentationStyle::Doxy,
            tab_width: 4,
            line_length: 120,
            ..Config::default()
        };
        config.export.include = self.types.iter().map(|(rust, _)| (*rust).to_owned()).collect();
        config.export.rename = self.types.iter().map(|(rust, c)| ((*rust).to_owned(), (*c).to_owned())).collect();
        (self.config)(&mut config);
        let sources = self.sources.iter().map(|source| workspace::root().join(source));
        let bindings = sources
            .fold(Builder::new(), Builder::with_src)
            .with_config(config)
            .generate()
            .with_context(|| format!("cbindgen can't read {}", self.sources.join(", ")))?;
        let mut bytes = Vec::new();
        bindings.write(&mut bytes);
        let text = String::from_utf8(bytes).context("cbindgen wrote what is no UTF-8")?;
        // A type that cbindgen can't see is left out without a word.
        for (rust, c) in self.types {
            if !text.contains(&format!(" {c};")) {
                bail!(
                    "cbindgen left {rust} ({c}) out of {}: it must be spelled plainly, as `#[repr(C)] pub`",
                    self.path
                );
            }
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn the_notice_stands_first_and_every_number_is_explicit() {
        let text = collector_api::HEADER.text().unwrap();
        assert!(text.starts_with("/*\n * Copyright (c) 2006, 2007, OpenMP Architecture Review Board.\n"));
        for name in ["OMP_REQ_START = 0", "OMP_ERRCODE_LAST = 8", "OMP_EVENT_LAST = 4097", "THR_LAST_STATE = 17"] {
            assert!(text.contains(&format!("{name},")), "{name}");
        }
    }

    const COLLECTOR: &str = "#include \"omp_collector_api.h\"\n#include \"omp_collector_api.h\"\n\
        static void seen(OMP_COLLECTORAPI_EVENT event) { (void)event; }\n\
        int main(void) { OMP_COLLECTORAPI_CALLBACK call = seen; call(OMP_EVENT_FORK); return 0; }\n";
    const RUNTIME: &str = "#include \"ora_embed.h\"\n#include \"ora_embed.h\"\n\
        int main(void) { ora_embed_mark mark; const ora_embed_region *region = ora_embed_parallel_begin();\n\
        ora_embed_wait_begin(ORA_EMBED_WAIT_LOCK, ORA_EMBED_HAS_LOCKS, &mark); ora_embed_wait_end(&mark);\n\
        ora_embed_parallel_end(region); return 0; }\n";

    /// Compiles a program that includes the header twice, as `standard` with every warning an error.
    fn compiles(compiler: &str, standard: &str, language: &str, header: &Header, program: &str) {
        let name = std::path::Path::new(header.path).file_name().unwrap();
        let folder = workspace::target().join("xtask-tests").join(standard).join(name);
        workspace::write(&folder.join(name), &header.text().unwrap()).unwrap();
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
    fn the_headers_compile_without_a_warning_as_c_and_as_cpp() {
        for (header, program) in [(&collector_api::HEADER, COLLECTOR), (&embed::HEADER, RUNTIME)] {
            for standard in ["c99", "c11", "c17"] {
                compiles("gcc", standard, "c", header, program);
            }
            for standard in ["c++11", "c++17"] {
                compiles("g++", standard, "c++", header, program);
            }
        }
    }
}
