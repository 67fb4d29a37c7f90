//! Parallel regions of a runtime without an adapter.
//!
//! The thread that encounters a construct makes a call, and each member of the team makes one when it begins, but it passes only the
//! construct, not the region. A primary thread finds its region on its own stack of regions. A worker takes the construct's open region.
//! There may be several (nested ones, or those of several threads of the program). Then it takes the region with the same ancestors,
//! according to the runtime, or else that of the primary thread for which it has worked before. If a worker can determine neither, it is
//! not reported in any region, rather than in a wrong one.

use super::call::Call;
use super::call::signature::{Fork, Handle, Value};
use super::region_fields::Fields;
use super::sites::{self, Site};
use super::task_ids::TaskPlace;
use super::{routines, thread_fields};
use ompt_core::region::{Encounter, Form, Region};
use ompt_core::thread::{Thread, here, here_as_worker};
use ompt_core::tls;
use std::ptr::from_ref;
use std::sync::atomic::Ordering::*;

/// `POMP2_Parallel_fork`: a thread has encountered the construct.
#[inline(always)]
pub(super) fn fork(call: Call<'_, Fork>) {
    let site = call.named();
    if !call.mode.is_forwarded() {
        call.save(if call.mode.is_counted() { TaskPlace::of_call(call.mode).save() } else { 0 });
    }
    if call.mode.is_alone()
        && let Some((thread, site)) = here().zip(site)
    {
        let [if_clause, threads] = call.clauses();
        #[allow(clippy::cast_possible_truncation)] // the arguments are ints
        let requested = if if_clause as i32 == 0 { 1 } else { threads as u32 };
        let noted = if call.mode.records_calls() { tls::call() } else { tls::CallSite::default() };
        begin_region(thread, site, Encounter { call: noted, function: 0, requested });
    }
    call.forward();
}

fn begin_region(thread: &'static Thread, site: &'static Site, encounter: Encounter) {
    let Some(region) = thread.regions().encounter(Form::Pair, encounter) else { return };
    let fields = Fields::of(region);
    fields.site.store(from_ref(site).addr(), Relaxed);
    fields.begun.store(0, Relaxed);
    fields.workers.store(0, Relaxed);
    #[allow(clippy::cast_possible_truncation)] // usize has 64 bits here
    fields.path.store(routines::path(0).unwrap_or(0) as usize, Relaxed);
    thread.regions().begin(region);
    thread.regions().start_implicit_task(region);
    site.open(region);
}

/// `POMP2_Parallel_begin`: a member of the team begins.
#[inline(always)]
pub(super) fn begin(call: Call<'_, Handle>) {
    if call.mode.is_alone()
        && let Some(site) = call.site()
    {
        begin_work(site, &call);
    }
    if call.mode.is_counted() {
        TaskPlace::of_call(call.mode).begin_implicit();
    }
    call.forward();
}

fn begin_work(site: &'static Site, call: &Call<'_, Handle>) {
    let own = tls::get().and_then(|thread| Some((thread, own_region(thread, site)?)));
    if let Some((thread, region)) = own.filter(|(_, region)| Fields::of(region).begun.swap(1, Relaxed) == 0) {
        return start(thread, region, 0, call);
    }
    let Some((region, sure)) = teams_region(site) else { return };
    let Some(thread) = here_as_worker() else { return };
    let number = Fields::of(region).workers.fetch_add(1, Relaxed) + 1;
    if sure {
        thread_fields::Fields::of(thread).primary.store(region.primary_id(), Relaxed);
    }
    thread.team().enter(region, usize::MAX);
    start(thread, region, number, call);
}

/// The region of the construct, if it is the thread's innermost one and the thread encountered it.
fn own_region(thread: &'static Thread, site: &Site) -> Option<&'static Region> {
    thread.current.region().filter(|region| is_of(region, site) && region.is_primary(thread))
}

fn is_of(region: &Region, site: &Site) -> bool {
    Fields::of(region).site.load(Relaxed) == from_ref(site).addr()
}

/// The region of the construct that a worker begins, and true if it is unambiguous.
fn teams_region(site: &'static Site) -> Option<(&'static Region, bool)> {
    let mut open = site.regions();
    let first = open.next()?;
    if open.next().is_none() {
        return Some((first, true));
    }
    let path = routines::path(1);
    let is_ours =
        |region: &&'static Region| path.is_none_or(|path| Fields::of(region).path.load(Relaxed) as u64 == path);
    let mut related = site.regions().filter(is_ours);
    let first = related.next()?;
    if related.next().is_none() {
        return Some((first, path.is_some()));
    }
    let master = tls::get().map_or(0, |thread| thread_fields::Fields::of(thread).primary.load(Relaxed));
    let known = site.regions().filter(is_ours).find(|region| region.primary_id() == master)?;
    Some((known, false))
}

/// Begins the thread's work in the region. If the runtime doesn't return the thread's number in the team, threads are numbered in the order
/// in which they begin.
fn start(thread: &'static Thread, region: &'static Region, number: usize, call: &Call<'_, Handle>) {
    if call.mode.records_calls() {
        let number = routines::thread_number().unwrap_or(u32::try_from(number).unwrap_or(0));
        thread.team().take_place(region, number, routines::team_size().unwrap_or(region.requested()), call.frame);
        thread.team().start_work(call.frame);
    } else {
        thread.team().start_work(0);
    }
}

/// `POMP2_Parallel_end`: a member is done, and has passed the last barrier.
#[inline(always)]
pub(super) fn end(call: Call<'_, Handle>) {
    if call.mode.is_alone()
        && let Some((thread, site)) = tls::get().zip(call.site())
        && let Some(region) = thread.current.region().filter(|region| is_of(region, site))
        && !region.is_primary(thread)
    {
        thread.team().return_to_pool();
    }
    if call.mode.is_counted() {
        // A worker may be in a region next that was not instrumented.
        TaskPlace::of_call(call.mode).begin_implicit();
    }
    call.forward();
}

/// `POMP2_Parallel_join`: the region is over.
#[inline(always)]
pub(super) fn join(call: Call<'_, Value>) {
    if call.mode.is_alone()
        && let Some((thread, site)) = tls::get().zip(call.site())
    {
        end_region(thread, site);
    }
    if call.mode.is_counted() {
        TaskPlace::of_call(call.mode).end_region(call.value());
    }
    call.forward();
}

/// Ends the construct's region, and nested ones that were left without a call.
fn end_region(thread: &'static Thread, site: &'static Site) {
    let own = |region: &&'static Region| region.is_primary(thread);
    let known = std::iter::successors(thread.current.region(), |region| region.enclosing());
    if !known.take_while(own).any(|region| is_of(region, site)) {
        return;
    }
    while let Some(region) = thread.current.region().filter(own) {
        let last = is_of(region, site);
        thread.regions().end(region);
        if last {
            return site.close(region);
        }
        sites::all().for_each(|other| other.close(region));
    }
}
