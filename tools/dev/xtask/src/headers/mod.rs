//! Headers that C programs include, generated from the crates by cbindgen.

mod collector_api;
mod declared;
mod embed;
mod numbers;
mod omp_tools;
mod ompt_tr2;
mod preconditions;
mod tags;

use anyhow::{Context, Result, ensure};
use cbindgen::{Builder, Config, DocumentationStyle, Language, Style};

use crate::{difference, workspace};

/// Description of a header: destination, sources, types, layout, and a final transformation of the text.
struct Header {
    path: &'static str,
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

/// Maximum length of a header's lines.
const LINE: usize = 120;

/// Writes the headers or, with `check`, fails if one in the checkout is stale.
pub(crate) fn generate(check: bool) -> Result<()> {
    let update =
        |it: &&Header| difference::update(&workspace::root().join(it.path), &it.text()?, check, "cargo xtask headers");
    HEADERS.iter().try_for_each(update)
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
            line_length: LINE,
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
        let heading = text.lines().find(|line| line.trim_start().starts_with("* # "));
        ensure!(heading.is_none(), "{} has a heading of Rust's documentation: {heading:?}", self.path);
        // cbindgen silently omits a type that it can't see.
        for (rust, c) in &types {
            ensure!(
                [format!(" {c};"), format!("(*{c})(")].iter().any(|end| text.contains(end)),
                "cbindgen left {rust} ({c}) out of {}: it must be spelled plainly, as `#[repr(C)] pub`",
                self.path
            );
        }
        Ok(text)
    }
}
