//! The headers that C programs include, made from the crates by cbindgen.

mod collector_api;
mod declared;
mod embed;
mod numbers;
mod omp_tools;
mod ompt_tr2;
mod tags;

use anyhow::{Context, Result, bail};
use cbindgen::{Builder, Config, DocumentationStyle, Language, Style};

use crate::{difference, workspace};

/// Description of a header: destination and sources (in words, and as files), types, layout, and a last transformation
/// of the text.
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
    /// These types: their names in Rust and in C.
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
        let text = (self.finish)(&String::from_utf8(bytes).context("cbindgen wrote what is no UTF-8")?);
        // A type that cbindgen can't see is left out without a word.
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

    const TOOL: &str = r#"
#include "omp-tools.h"
#include "omp-tools.h"
static void on_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned int asked, int flags,
                     const void *codeptr_ra) {
    (void)task, (void)frame, (void)asked, (void)codeptr_ra;
    region->value = (flags & ompt_parallel_team) != 0;
}
static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    ompt_callback_parallel_begin_t begin = on_begin;
    ompt_callback_master_t master = 0;
    (void)device, (void)data;
    set(ompt_callback_master, (ompt_callback_t)master);
    return set(ompt_callback_parallel_begin, (ompt_callback_t)begin) == ompt_set_always;
}
static void finalize(ompt_data_t *data) {
    ompt_data_t none = ompt_data_none;
    *data = none;
}
ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, ompt_data_none};
    return version >= 201811 && runtime ? &result : 0;
}
"#;
    const TR2_TOOL: &str = r#"
#include "ompt_tr2.h"
#include "ompt_tr2.h"
static void on_begin(ompt_task_id_t task, ompt_frame_t *frame, ompt_parallel_id_t region, uint32_t asked, void *code) {
    (void)task, (void)frame, (void)region, (void)asked, (void)code;
}
int ompt_initialize(ompt_function_lookup_t lookup, const char *runtime, unsigned int version) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    ompt_new_parallel_callback_t begin = on_begin;
    (void)runtime, (void)version;
    if (ompt_control) ompt_control(1, 0);
    return set(ompt_event_parallel_begin, (ompt_callback_t)begin) == ompt_tr2_set_always;
}
"#;

    /// The command that compiles a program that includes the header (twice), as `standard` with every warning an error.
    fn compilation(compiler: &str, standard: &str, header: &Header, program: &str) -> Command {
        let name = std::path::Path::new(header.path).file_name().unwrap();
        let folder = workspace::target().join("xtask-tests").join(compiler).join(standard).join(name);
        workspace::write(&folder.join(name), &header.text().unwrap()).unwrap();
        workspace::write(&folder.join("includes"), program).unwrap();
        let language = if compiler.contains("++") { "c++" } else { "c" };
        let mut command = Command::new(compiler);
        command.current_dir(&folder).arg(format!("-std={standard}"));
        command.args(["-Wall", "-Wextra", "-pedantic", "-Werror", "-I.", "-c", "-o", "includes.o"]);
        command.args(["-x", language, "includes"]);
        command
    }

    const PROGRAMS: [(&Header, &str); 4] = [
        (&collector_api::HEADER, COLLECTOR),
        (&embed::HEADER, RUNTIME),
        (&omp_tools::HEADER, TOOL),
        (&ompt_tr2::HEADER, TR2_TOOL),
    ];

    fn all_compile(c: &str, cpp: &str) {
        for (header, program) in PROGRAMS {
            for (compiler, standard) in [(c, "c99"), (c, "c11"), (c, "c17"), (cpp, "c++11"), (cpp, "c++17")] {
                workspace::run(&mut compilation(compiler, standard, header, program)).unwrap();
            }
        }
    }

    #[test]
    fn the_headers_compile_without_a_warning_as_c_and_as_cpp() {
        all_compile("gcc", "g++");
    }

    #[test]
    fn clang_has_nothing_to_say_about_the_headers_either() {
        if requirements::CLANGXX.is_here("the headers under clang") {
            all_compile("clang-19", "clang++-19");
        }
    }

    #[test]
    fn the_two_headers_of_ompt_say_that_they_exclude_each_other() {
        let both = "#include \"omp-tools.h\"\n#include \"ompt_tr2.h\"\n";
        // A folder that no other test uses.
        let mut command = compilation("gcc", "gnu11", &omp_tools::HEADER, both);
        let folder = command.get_current_dir().unwrap().to_owned();
        workspace::write(&folder.join("ompt_tr2.h"), &ompt_tr2::HEADER.text().unwrap()).unwrap();
        for order in [both.to_owned(), both.lines().rev().map(|line| line.to_owned() + "\n").collect()] {
            workspace::write(&folder.join("includes"), &order).unwrap();
            let output = command.output().unwrap();
            assert!(!output.status.success());
            assert!(String::from_utf8_lossy(&output.stderr).contains("a file can include one of them"));
        }
    }
}
