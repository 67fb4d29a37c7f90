//! Leagues of teams on the host device: `GOMP_teams_reg` calls the program's function once for each team, on the calling
//! thread. Reported to tools of OMPT only: where the function ends with a tail call of libgomp, that call seems to come from
//! libgomp.
#![allow(unsafe_code)] // calls libgomp, and the program's outlined functions

use super::arguments::LeagueFunction;
use super::instance::{Call, Target, go_on_with};
use ompt_core::thread::here;
use std::mem::transmute;
use std::ptr;

type Function = unsafe extern "C-unwind" fn(usize);
/// Function, data, number of teams, limit of threads, flags.
type Teams = (LeagueFunction, usize, usize, usize, usize);

/// Data that libgomp passes on in place of the program's.
struct League {
    function: usize,
    data: usize,
}

/// `GOMP_teams_reg`.
#[inline(always)]
pub(super) fn league<T: Target<Arguments = Teams, Result = ()>>(call: Call<'_, T>) {
    let (LeagueFunction(function), data, teams, limit, flags) = call.arguments();
    let league = League { function, data };
    // SAFETY: libgomp gets the arguments of the program's call, with `team` and the `league` that it reads in place of function
    // and data; `GOMP_teams_reg` runs all teams before it returns (libgomp's teams.c).
    unsafe {
        go_on_with(
            call.target(),
            (LeagueFunction(team as *const () as usize), ptr::from_ref(&league).addr(), teams, limit, flags),
        )
    };
}

/// Function that libgomp calls for each team in place of the program's.
///
/// # Safety
/// The league's call of [`league`] has not returned.
unsafe extern "C-unwind" fn team(league: *const League) {
    // SAFETY: by this function's `# Safety` the call of `league` has not returned: its `League` lives, and nothing writes it.
    let League { function, data } = unsafe { &*league };
    // SAFETY: `league` stored the function that compiled code passed, of type `void (void *)` (libgomp_g.h).
    let outlined: Function = unsafe { transmute(*function) };
    let thread = here();
    let before = thread.map(|thread| thread.set_team_function(*function));
    // SAFETY: compiled code passed the function with these data (`league` stored both); libgomp would make the same call.
    unsafe { outlined(*data) };
    thread.zip(before).inspect(|(thread, before)| _ = thread.set_team_function(*before));
}
