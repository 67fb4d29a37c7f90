//! Source lines of rows, each with its activity over time.

use std::collections::hash_map::Entry;

use page::{Line, Row};
use rustc_hash::{FxHashMap, FxHashSet};
use symbols::source::Sources;
use untrusted::figure;

use super::{Places, Scope};
use crate::profile::Point;
use crate::state::State;

/// Maximum number of lines of all views, and of one view.
const MAX_LINES: usize = 1000;
const MAX_LINES_OF_VIEW: usize = 150;
/// Maximum number of lines of a row.
const MAX_LINES_OF_ROW: usize = 25;
/// Number of pieces of time in a strip.
const PIECES: usize = 120;
/// Maximum length of a line of text, in characters.
const LONGEST: usize = 160;

/// A file, by its index in a list, and a line of it.
type Place<'p> = (&'p str, u32);

/// Adds to the rows the lines in which their time was spent, and returns these lines.
pub(super) fn add(
    scope: &Scope<'_>,
    places: &Places,
    of_function: &FxHashMap<u32, usize>,
    leaves: &[Option<u32>],
    rows: &mut [Row],
    sources: &mut Sources,
) -> Vec<Line> {
    let profile = scope.basis.profile;
    let place = |frame: u32| {
        let (frame, _) = profile.code.frame(frame)?;
        Some((frame.file.as_deref().filter(|_| frame.line > 0)?, frame.line))
    };
    // Time of each row in each line: in the line itself, and with what it calls.
    let mut times: FxHashMap<(usize, Place<'_>), (u64, u64)> = FxHashMap::default();
    let mut of_context: FxHashMap<u32, u64> = FxHashMap::default();
    let row_of = |frame: u32| of_function.get(&profile.code.frame(frame)?.0.function).copied();
    for point in scope.samples().filter(|point| point.state != State::IDLE) {
        let ns = of_context.entry(point.context).or_default();
        *ns = figure::sum(*ns, point.wall_ns);
        let Some(leaf) = leaves.get(point.context as usize).copied().flatten() else { continue };
        let Some(at) = place(leaf) else { continue };
        if let Some(row) = row_of(leaf) {
            let (own_ns, _) = times.entry((row, at)).or_default();
            *own_ns = figure::sum(*own_ns, point.wall_ns);
        }
        if let Some(row) = places.row_of(profile, point) {
            let (own_ns, all_ns) = times.entry((row, at)).or_default();
            (*own_ns, *all_ns) = (figure::sum(*own_ns, point.wall_ns), figure::sum(*all_ns, point.wall_ns));
        }
    }
    for (context, ns) in of_context {
        let mut on: Vec<_> =
            profile.frames(context).filter_map(|frame| Some((row_of(frame)?, place(frame)?))).collect();
        on.sort_unstable();
        on.dedup();
        for key in on {
            let (_, all_ns) = times.entry(key).or_default();
            *all_ns = figure::sum(*all_ns, ns);
        }
    }
    let mut pairs: Vec<((u64, u64), usize, Place<'_>)> =
        times.into_iter().map(|((row, at), ns)| (ns, row, at)).collect();
    // A line's own time counts first.
    pairs.sort_unstable_by(|one, other| (other.0, one.1, one.2).cmp(&(one.0, other.1, other.2)));
    let most = MAX_LINES_OF_VIEW.min(MAX_LINES / scope.views.max(1));
    let (mut numbers, mut chosen): (FxHashMap<Place<'_>, usize>, Vec<Place<'_>>) = Default::default();
    for ((ns, _), row, at) in pairs {
        let Some(row) = rows.get_mut(row).filter(|row| row.lines.len() < MAX_LINES_OF_ROW) else { continue };
        let number = match numbers.entry(at) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) if chosen.len() < most => {
                chosen.push(at);
                *new.insert(chosen.len() - 1)
            }
            Entry::Vacant(_) => continue,
        };
        row.lines.push((number, ns));
    }
    let of_frame: Vec<Option<usize>> =
        (0..).take(profile.code.frames().len()).map(|frame| numbers.get(&place(frame)?).copied()).collect();
    let (all_ns, strips) = over_time(scope, &of_frame, chosen.len());
    let line = |(((file, line), all_ns), strip): ((Place<'_>, u64), String)| {
        let text = sources.at(file, line).map(|text| text.trim_end().chars().take(LONGEST).collect());
        Line { file: file.to_owned(), line, text, all_ns, strip }
    };
    chosen.into_iter().zip(all_ns).zip(strips).map(line).collect()
}

/// Time in each line and what it calls, and its strip.
fn over_time(scope: &Scope<'_>, of_frame: &[Option<usize>], lines: usize) -> (Vec<u64>, Vec<String>) {
    let profile = scope.basis.profile;
    let piece_ns = scope.length_ns.max(1).div_ceil(PIECES as u64);
    let mut all_ns = vec![0_u64; lines];
    let mut times = vec![[[0_u64; 2]; PIECES]; lines];
    let mut of_context: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    let mut threads = FxHashSet::default();
    for point in scope.samples() {
        threads.insert(point.thread);
        let on = of_context.entry(point.context).or_insert_with(|| {
            let mut on: Vec<usize> =
                profile.frames(point.context).filter_map(|frame| *of_frame.get(frame as usize)?).collect();
            on.sort_unstable();
            on.dedup();
            on
        });
        for line in &*on {
            all_ns.get_mut(*line).into_iter().for_each(|ns| *ns = figure::sum(*ns, point.wall_ns));
            let row = times.get_mut(*line);
            row.into_iter().for_each(|row| add_pieces(row, scope, point, piece_ns));
        }
    }
    let whole_ns = piece_ns.saturating_mul((threads.len() as u64).max(1));
    // Rounded up, so that a short time is visible as well.
    let digit = |ns: u64| char::from(b'0' + u8::try_from(ns.saturating_mul(9).div_ceil(whole_ns).min(9)).unwrap_or(9));
    let strip = |row: &[[u64; 2]; PIECES]| row.iter().flatten().map(|ns| digit(*ns)).collect();
    (all_ns, times.iter().map(strip).collect())
}

/// Adds a sample's time to the pieces that it lies in.
fn add_pieces(row: &mut [[u64; 2]; PIECES], scope: &Scope<'_>, point: &Point, piece_ns: u64) {
    let mut at_ns = scope.since(point);
    let end_ns = at_ns.saturating_add(point.wall_ns).min(scope.length_ns);
    while at_ns < end_ns {
        let piece = at_ns / piece_ns;
        let until_ns = (piece + 1).saturating_mul(piece_ns).min(end_ns);
        let time = usize::try_from(piece).ok().and_then(|piece| row.get_mut(piece));
        let time = time.and_then(|time| time.get_mut(usize::from(point.state.waits())));
        time.into_iter().for_each(|time| *time = figure::sum(*time, until_ns - at_ns));
        at_ns = until_ns;
    }
}
