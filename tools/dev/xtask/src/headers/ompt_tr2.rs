//! `ompt_tr2.h`: OMPT of Technical Report 2, for tools of its time.

use super::{Header, Types, numbers, tags};

pub(super) const HEADER: Header = Header {
    path: "headers/ompt_tr2.h",
    sources: &[
        "ompt-core/abi/src/tr2/states.rs",
        "ompt-core/abi/src/tr2/events.rs",
        "ompt-core/abi/src/tr2/data.rs",
        "ompt-core/abi/src/tr2/callbacks.rs",
        "ompt-core/abi/src/tr2/entry_points.rs",
    ],
    types: Types::AsDeclared,
    config: |config| {
        config.header = Some(include_str!("../../templates/ompt_tr2_begin.txt").trim_end().to_owned());
        config.trailer = Some(include_str!("../../templates/ompt_tr2_end.txt").trim().to_owned());
    },
    finish: |text| tags::dropped(&numbers::spelled(text)),
};
