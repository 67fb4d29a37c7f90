//! Headers that C programs include, generated from the crates by cbindgen.

mod collector_api;
mod declared;
mod embed;
mod numbers;
mod omp_tools;
mod ompt_tr2;
mod preconditions;
mod tags;

use anyhow::{Context, Result, bail};
use cbindgen::{Builder, Config, DocumentationStyle, Language, Style};

use crate::{difference, workspace};

/// Description of a header: destination and sources (in words, and as files), types, layout, and a final transformation of the text.
struct Header {
    path: &'static str,
    origin: &'static str,
    sources: &'static [&'static str],
    types: Types,
    config: fn(&mut Config),
    finish: fn(&str) -> String,
}

/// Selection of the sources' types.
enum Types {
    /// These types, each with its name in Rust and in C.
    Renamed(&'static [(&'static str, &'static str)]),
    /// All types, named in Rust as in C. They keep their tags: `struct x` is `x`.
    AsDeclared,
}

const HEADERS: [&Header; 4] = [&collector_api::HEADER, &embed::HEADER, &omp_tools::HEADER, &ompt_tr2::HEADER];

/// Writes the headers or, with `check`, fails if one in the checkout is stale.
pub(crate) fn generate(check: bool) -> Result<()> {
    for header in HEADERS {
        let path = workspace::root().join(header.path);
        let text = header.text()?;
        if check {
            difference::check(&path, &text, "cargo xtask headers")?;
            println!("{} is what {} says", header.path, header.origin);
        } else {
            workspace::write(&path, &text)?;
            println!("wrote {} from {}", header.path, header.origin);
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
        let types: Vec<(String, String)> = match self.types {
            Types::Renamed(types) => types.iter().map(|(rust, c)| ((*rust).to_owned(), (*c).to_owned())).collect(),
            Types::AsDeclared => {
                config.style = Style::Both;
                config.usize_is_size_t = true;
                declared::types(self.sources)?.into_iter().map(|name| (name.clone(), name)).collect()
            }
        };
        config.export.include = types.iter().map(|(rust, _)| rust.clone()).collect();
        config.export.rename = types.iter().cloned().collect();
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
        let text = (self.finish)(&preconditions::in_c(&text));
        // cbindgen silently omits a type that it can't see.
        for (rust, c) in &types {
            if ![format!(" {c};"), format!("(*{c})(")].iter().any(|end| text.contains(end)) {
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
    use super::*;

    #[test]
    fn no_comment_has_a_heading_of_rusts_documentation() {
        for header in HEADERS {
            let text = header.text().unwrap();
            let heading = text.lines().find(|line| line.trim_start().starts_with("* # "));
            assert_eq!(heading, None, "{}", header.path);
        }
    }

    #[test]
    fn the_notice_stands_first_and_every_number_is_explicit() {
        let text = collector_api::HEADER.text().unwrap();
        assert!(text.starts_with("/*\n * Copyright (c) 2006, 2007, OpenMP Architecture Review Board.\n"));
        for name in ["OMP_REQ_START = 0", "OMP_ERRCODE_LAST = 8", "OMP_EVENT_LAST = 4097", "THR_LAST_STATE = 17"] {
            assert!(text.contains(&format!("{name},")), "{name}");
        }
    }
}
