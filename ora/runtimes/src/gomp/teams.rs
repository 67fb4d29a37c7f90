//! Leagues of teams on the host device. `GOMP_teams_reg` calls the program's function once for each team, on the calling thread. In a
//! target region that the host executes, compiled code calls `GOMP_teams4` before each team until it returns false, or, up to gcc 11, calls
//! `GOMP_teams` once, for a league of one team.
//!
//! Compiled code itself divides `distribute` loops.
#![allow(unsafe_code)] // calls libgomp, and the program's outlined functions

use super::arguments::LeagueFunction;
use super::instance::{Instance, PendingCall, Target, go_on_with, runtime};
use super::routines::{MAX_TEAMS, TEAM, TEAMS};
use super::runtime::Runtime;
use ompt_core::region::{Encounter, Region};
use ompt_core::thread::{Thread, here};
use ompt_core::tls;
use std::mem::transmute;
use std::ptr;
use system::arch::stack_pointer;

type Function = unsafe extern "C-unwind" fn(usize);
/// Function, data, number of teams, limit of threads, flags.
type Teams = (LeagueFunction, usize, usize, usize, usize);

/// Data that libgomp passes on instead of the program's.
struct League {
    function: usize,
    data: usize,
    runtime: &'static Runtime,
    region: &'static Region,
}

/// `GOMP_teams_reg`.
#[inline(always)]
pub(super) fn league<T: Target<Arguments = Teams, Result = ()>>(call: PendingCall<'_, T>) {
    let (LeagueFunction(function), data, teams, limit, flags) = call.arguments();
    let Some((thread, region)) = enter(call.instance(), stack_pointer(), function, teams) else { return call.go_on() };
    let league = League { function, data, runtime: runtime(call.instance()), region };
    // SAFETY: libgomp gets the arguments of the program's call, with `team` and the `league` that it reads in place of function and data;
    // `GOMP_teams_reg` runs all teams before it returns (libgomp's teams.c).
    unsafe {
        go_on_with(
            call.target(),
            (LeagueFunction(recorded_team as *const () as usize), ptr::from_ref(&league).addr(), teams, limit, flags),
        )
    };
    thread.regions().leave_league(region);
}

/// Begins a league of `teams` teams; 0: the runtime's default number.
#[inline(never)]
fn enter(
    instance: impl Instance,
    stack: usize,
    function: usize,
    teams: usize,
) -> Option<(&'static Thread, &'static Region)> {
    let thread = here()?;
    #[allow(clippy::cast_possible_truncation)] // the argument is an unsigned int
    let requested = match teams as u32 {
        0 => runtime(instance).answer(MAX_TEAMS),
        teams => teams,
    };
    let region = thread.regions().enter_league(stack, Encounter { call: tls::call(), function, requested })?;
    Some((thread, region))
}

system::record_and_jump! {
    /// Like [`team`], but also records its frame.
    fn recorded_team(), "ora_thread", 16, team
}

/// Function that libgomp calls for each team instead of the program's.
///
/// # Safety
/// The league's call of [`league`] has not returned.
unsafe extern "C-unwind" fn team(league: *const League) {
    let frame = tls::call().frame;
    // SAFETY: by this function's `# Safety` the call of `league` has not returned: its `League` lives, and nothing writes it.
    let League { function, data, runtime, region } = unsafe { &*league };
    // SAFETY: `league` stored the function that compiled code passed, of type `void (void *)` (libgomp_g.h).
    let outlined: Function = unsafe { transmute(*function) };
    let thread = here();
    thread.inspect(|thread| begin(thread, region, runtime, frame));
    // SAFETY: compiled code passed the function with this data (`league` stored both); libgomp would make the same call.
    unsafe { outlined(*data) };
    thread.inspect(|thread| thread.regions().end_team(region));
}

/// Begins the team that libgomp reports as the next one.
fn begin(thread: &'static Thread, league: &'static Region, runtime: &Runtime, exit: usize) {
    let [number, size] = [TEAM, TEAMS].map(|get| runtime.answer(get));
    thread.regions().begin_team(league, number, size, exit);
}

/// `GOMP_teams4`: lowest and highest number of teams, limit of threads, true for the first call.
#[inline(always)]
pub(super) fn next<T: Target<Arguments = (usize, usize, usize, bool), Result = bool>>(
    call: PendingCall<'_, T>,
) -> bool {
    let (_, teams, _, first) = call.arguments();
    let runtime = runtime(call.instance());
    if !first {
        let league = own_league();
        league.inspect(|(thread, league)| thread.regions().end_team(league));
        let goes_on = call.go_on();
        if let Some((thread, league)) = league {
            if goes_on {
                begin(thread, league, runtime, target_exit(thread))
            } else {
                thread.regions().leave_league(league)
            }
        }
        return goes_on;
    }
    let league = enter_in_target(call.instance(), teams);
    let goes_on = call.go_on();
    if let Some((thread, league)) = league {
        begin(thread, league, runtime, target_exit(thread));
    }
    goes_on
}

/// `GOMP_teams`: number of teams, limit of threads. The league ends with the target region.
#[inline(always)]
pub(super) fn only<T: Target<Arguments = (usize, usize), Result = ()>>(call: PendingCall<'_, T>) {
    let (teams, _) = call.arguments();
    let (runtime, league) = (runtime(call.instance()), enter_in_target(call.instance(), teams));
    call.go_on();
    if let Some((thread, league)) = league {
        begin(thread, league, runtime, target_exit(thread));
    }
}

/// Begins a league in a target region, whose code executes the teams itself.
fn enter_in_target(instance: impl Instance, teams: usize) -> Option<(&'static Thread, &'static Region)> {
    let thread = here()?;
    // The teams' code is part of the target region's function.
    let function = thread.current.region().map_or(0, Region::function);
    enter(instance, thread.current.no_frame(), function, teams)
}

/// The league that the calling thread executes in a target region.
fn own_league() -> Option<(&'static Thread, &'static Region)> {
    let thread = here()?;
    Some((thread, thread.current.region().filter(|region| region.is_league())?))
}

/// The frame that called the target region's function, which the teams' initial tasks share.
fn target_exit(thread: &Thread) -> usize {
    let target = thread.current.region().and_then(Region::enclosing).filter(|region| region.non_parallel_number() != 0);
    target.map_or(0, |target| target.call().frame)
}
