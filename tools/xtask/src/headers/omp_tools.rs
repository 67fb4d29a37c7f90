//! `omp-tools.h`: OMPT of OpenMP 5, for tools.

use super::{Header, Types, numbers, tags};

pub(super) const HEADER: Header = Header {
    path: "headers/omp-tools.h",
    origin: "ompt-core/abi/src/v5",
    sources: &[
        "ompt-core/abi/src/v5/callbacks.rs",
        "ompt-core/abi/src/v5/states.rs",
        "ompt-core/abi/src/v5/kinds.rs",
        "ompt-core/abi/src/v5/flags.rs",
        "ompt-core/abi/src/v5/device_kinds.rs",
        "ompt-core/abi/src/v5/data.rs",
        "ompt-core/abi/src/v5/start.rs",
        "ompt-core/abi/src/v5/host_callbacks.rs",
        "ompt-core/abi/src/v5/entry_points.rs",
        "ompt-core/abi/src/v5/device_callbacks.rs",
        "ompt-core/abi/src/v5/records.rs",
        "ompt-core/abi/src/v5/trace_record.rs",
        "ompt-core/abi/src/v5/device_entry_points.rs",
    ],
    types: Types::AsDeclared,
    config: |config| {
        config.header = Some(include_str!("../../templates/omp_tools_begin.txt").trim_end().to_owned());
        config.trailer = Some(include_str!("../../templates/omp_tools_end.txt").trim().to_owned());
    },
    finish: |text| tags::dropped(&numbers::spelled(text)),
};
