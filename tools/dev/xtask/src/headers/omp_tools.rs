//! `omp-tools.h`: OMPT of OpenMP 5, for tools.

use super::{Header, Types, numbers, tags};

pub(super) const HEADER: Header = Header {
    path: "headers/omp-tools.h",
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
    finish: |text| with_control_tool(&tags::dropped(&numbers::spelled(text))),
};

/// Header for programs, whose enums tools need as well (OpenMP 6.1).
const CONTROL_TOOL: &str = include_str!("../../../../../headers/omp_control_tool.h");

/// First and last line of the part of [`CONTROL_TOOL`] that contains the enums.
const PART: [&str; 2] = ["#ifndef ORA_OMP_CONTROL_TOOL_ENUMS\n", "#endif /* ORA_OMP_CONTROL_TOOL_ENUMS */\n"];

/// Returns `text` with that part inserted after its includes.
fn with_control_tool(text: &str) -> String {
    const INCLUDES: &str = "#include <stdint.h>\n";
    let [begin, end] = PART;
    let part = CONTROL_TOOL.split_once(begin).and_then(|(_, rest)| rest.split_once(end)).map(|(part, _)| part);
    part.map_or_else(
        || text.to_owned(),
        |part| {
            let comment = "\n/* omp_control_tool.h has this part, too: a file may include both, in any order. */\n";
            text.replacen(INCLUDES, &format!("{INCLUDES}{comment}{begin}{part}{end}"), 1)
        },
    )
}
