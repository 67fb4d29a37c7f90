//! The rule of releases: a callback and its values belong to the release that a runtime is checked against, or to an
//! older one.

use ompt_abi::v5::*;
use validate_layout::event::{Event, Sync};
use validate_layout::release::Release::{self, *};
use validate_layout::rule::Rule;

use crate::constants::{endpoint, status, task};
use crate::engine::Engine;

impl Engine {
    /// Checks that the event belongs to the release, if the runtime is checked against one.
    pub(crate) fn check_release(&mut self, event: &Event) {
        let Some(release) = self.findings.release else { return };
        let since = first_with(event);
        self.findings.check(Rule::ReleaseValues, since <= release, || format!("a callback or value of OpenMP {since}"));
    }
}

/// The first release that defines the event with these values.
fn first_with(event: &Event) -> Release {
    let of_endpoint = |end: i32| if end == endpoint::BOTH { V5_1 } else { V5_0 };
    match event {
        Event::Work { kind, endpoint, .. } => of_work(*kind).max(of_endpoint(*endpoint)),
        Event::Dispatch { kind, .. } if *kind >= ompt_dispatch_t::ompt_dispatch_ws_loop_chunk as i32 => V5_2,
        Event::Sync { kind, endpoint, which, .. } => {
            let of_kind = if *kind >= ompt_sync_region_t::ompt_sync_region_barrier_implicit_workshare as i32
                && *which != Sync::Reduction
            {
                V5_1
            } else {
                V5_0
            };
            of_kind.max(of_endpoint(*endpoint))
        }
        Event::Masked { endpoint, .. } | Event::NestLock { endpoint, .. } | Event::ImplicitTask { endpoint, .. } => {
            of_endpoint(*endpoint)
        }
        Event::TaskCreate { flags, .. } if flags & task::TASKWAIT != 0 => V5_1,
        Event::TaskSchedule { status: status::TASKWAIT_COMPLETE, .. } => V5_1,
        Event::Dependences { dependences, .. } => {
            dependences.iter().map(|item| of_dependence(item.kind)).max().unwrap_or(V5_0)
        }
        Event::Error { .. } => V5_1,
        _ => V5_0,
    }
}

fn of_work(kind: i32) -> Release {
    const SCOPE: i32 = ompt_work_t::ompt_work_scope as i32;
    const WORKDISTRIBUTE: i32 = ompt_work_t::ompt_work_workdistribute as i32;
    const LOOP_STATIC: i32 = ompt_work_t::ompt_work_loop_static as i32;
    match kind {
        SCOPE => V5_1,
        WORKDISTRIBUTE => V6_0,
        LOOP_STATIC.. => V5_2,
        _ => V5_0,
    }
}

fn of_dependence(kind: i32) -> Release {
    const INOUTSET: i32 = ompt_dependence_type_t::ompt_dependence_type_inoutset as i32;
    const ALL_MEMORY: i32 = ompt_dependence_type_t::ompt_dependence_type_out_all_memory as i32;
    match kind {
        INOUTSET => V5_1,
        ALL_MEMORY.. => V5_2,
        _ => V5_0,
    }
}
