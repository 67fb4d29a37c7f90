//! `ora_embed.h`: for runtimes that report themselves.

use super::{Header, Types};

pub(super) const HEADER: Header = Header {
    path: "headers/ora_embed.h",
    sources: &["ora/runtimes/src/embed/types.rs", "ora/runtimes/src/embed/entry.rs"],
    types: Types::Renamed(&[
        ("Runtime", "ora_embed_runtime"),
        ("WaitKind", "ora_embed_wait_kind"),
        ("StretchKind", "ora_embed_stretch_kind"),
        ("Mark", "ora_embed_mark"),
        ("EmbedTask", "ora_embed_task"),
    ]),
    config: |config| {
        config.header = Some(include_str!("../../templates/embed_protocol.txt").trim_end().to_owned());
        config.include_guard = Some("ORA_EMBED_H".to_owned());
        config.sys_includes = vec!["stdint.h".to_owned()];
        config.cpp_compat = true;
        // A type of another crate, of which only the name is visible in C.
        config.export.rename.insert("Region".to_owned(), "ora_embed_region".to_owned());
        let region = "\n/** Stands for a parallel region. */\ntypedef struct ora_embed_region ora_embed_region;";
        config.after_includes = Some(region.to_owned());
    },
    finish: str::to_owned,
};
