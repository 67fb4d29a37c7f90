//! `omp-tools.h`: OMPT of OpenMP 5, for tools.

use super::{Header, Types, numbers, tags};

pub(super) const HEADER: Header = Header {
    path: "headers/omp-tools.h",
    origin: "ompt-core/src/v5/types",
    sources: &[
        "ompt-core/src/v5/types/callbacks.rs",
        "ompt-core/src/v5/types/states.rs",
        "ompt-core/src/v5/types/kinds.rs",
        "ompt-core/src/v5/types/flags.rs",
        "ompt-core/src/v5/types/device_kinds.rs",
        "ompt-core/src/v5/types/data.rs",
        "ompt-core/src/v5/types/start.rs",
        "ompt-core/src/v5/types/host_callbacks.rs",
        "ompt-core/src/v5/types/entry_points.rs",
        "ompt-core/src/v5/types/device_callbacks.rs",
        "ompt-core/src/v5/types/records.rs",
        "ompt-core/src/v5/types/trace_record.rs",
        "ompt-core/src/v5/types/device_entry_points.rs",
    ],
    types: Types::AsDeclared,
    config: |config| {
        config.header = Some(include_str!("../../templates/omp_tools_begin.txt").trim_end().to_owned());
        config.trailer = Some(include_str!("../../templates/omp_tools_end.txt").trim().to_owned());
    },
    finish: |text| tags::dropped(&numbers::spelled(text)),
};
