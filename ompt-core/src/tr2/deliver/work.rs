//! Events of work-sharing constructs (TR2, 3.2.2 from "Loops" to "Single Blocks").

use super::{Here, waits};
use crate::detail::{Detail, Work};
use crate::tr2::call;
use crate::tr2::types::ompt_event_t::{self, *};

#[inline(always)]
pub(super) fn begin(here: Here, detail: &Detail<'_>) {
    match detail {
        Detail::Work { kind, .. } if kind.is_loop() => begin_region(here, ompt_event_loop_begin),
        Detail::Work { kind: Work::Sections, .. } => begin_region(here, ompt_event_sections_begin),
        Detail::Work { kind: Work::SingleOther, .. } => waits::place(here, ompt_event_single_others_begin),
        _ => {}
    }
}

#[inline(always)]
pub(super) fn end(here: Here, detail: &Detail<'_>) {
    match detail {
        Detail::Work { kind, .. } if kind.is_loop() => waits::place(here, ompt_event_loop_end),
        Detail::Work { kind: Work::Sections, .. } => waits::place(here, ompt_event_sections_end),
        Detail::Work { kind: Work::SingleOther, .. } => waits::place(here, ompt_event_single_others_end),
        _ => {}
    }
}

/// Reports the start of a work-sharing region. Compilers don't outline work-sharing constructs: the tool gets the
/// function of the region around it.
#[inline(always)]
pub(super) fn begin_region(here: Here, event: ompt_event_t) {
    let (region, task) = here.place();
    let function = here.thread.current.region().map_or(0, |region| region.function());
    call::new_workshare(event, here.epoch, region, task, function);
}
