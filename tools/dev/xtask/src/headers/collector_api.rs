//! `omp_collector_api.h`: the Sun Collector API.

use super::{Header, Types};
use cbindgen::ItemType;

pub(super) const HEADER: Header = Header {
    path: "headers/omp_collector_api.h",
    sources: &["ora/src/codes.rs"],
    types: Types::Renamed(&[
        ("Request", "OMP_COLLECTORAPI_REQUEST"),
        ("ErrorCode", "OMP_COLLECTORAPI_EC"),
        ("EventNumber", "OMP_COLLECTORAPI_EVENT"),
        ("ThreadState", "OMP_COLLECTOR_API_THR_STATE"),
    ]),
    config: |config| {
        // The guard is in the templates: cbindgen would close its own before the functions.
        let begin = concat!(
            include_str!("../../templates/collector_api_notice.txt"),
            include_str!("../../templates/collector_api_protocol.txt")
        );
        config.header = Some(begin.trim_end().to_owned());
        config.trailer = Some(include_str!("../../templates/collector_api_functions.txt").trim().to_owned());
        config.export.item_types = vec![ItemType::Enums];
    },
    finish: str::to_owned,
};
