//! Lines of the source, each with its activity over time.

use std::rc::Rc;

use profile_analysis::out::{FrameName, Weighted};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use symbols::source::Sources;
use untrusted::figure;

use crate::Timeline;

/// Most lines of a process, and of all: those with the most time, their calls included.
const MOST: usize = 60;
const MOST_OF_ALL: usize = 1000;
/// Pieces of time in a strip.
const PIECES: usize = 120;
/// Longest text of a line, in characters.
const LONGEST: usize = 160;

/// A line with its time.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Line {
    file: String,
    line: u32,
    /// Text of the line; `None`: the source can't be read.
    text: Option<String>,
    /// Time in the line itself.
    own_ns: u64,
    /// Time in the line and what it calls.
    all_ns: u64,
    /// Two digits for each piece of time: how much of the threads' time they worked there, and waited there, from 0 to 9.
    strip: String,
}

/// Sums of a line.
#[derive(Clone, Copy, Default)]
struct Sum {
    own_ns: u64,
    all_ns: u64,
}

/// A file and a line of it.
type Place = (String, u32);

/// The lines with the most time, file by file, of one of so many processes.
pub(super) fn of(timeline: &Timeline, samples: &[Weighted<'_>], processes: usize) -> Vec<Line> {
    let mut places: FxHashMap<*const FrameName, Option<usize>> = FxHashMap::default();
    let mut known: FxHashMap<Place, usize> = FxHashMap::default();
    let mut sums: Vec<Sum> = Vec::new();
    for sample in samples {
        let mut counted = FxHashSet::default();
        for (depth, frame) in sample.frames.iter().rev().filter(|frame| !frame.is_state()).enumerate() {
            let index = *places.entry(Rc::as_ptr(frame)).or_insert_with(|| {
                let place = (frame.file.clone().filter(|_| frame.line > 0)?, frame.line);
                let next = sums.len();
                let index = *known.entry(place).or_insert(next);
                sums.resize(sums.len().max(index + 1), Sum::default());
                Some(index)
            });
            let Some((index, sum)) = index.and_then(|index| Some((index, sums.get_mut(index)?))) else { continue };
            sum.own_ns = figure::sum(sum.own_ns, if depth == 0 { sample.wall_ns } else { 0 });
            sum.all_ns = figure::sum(sum.all_ns, if counted.insert(index) { sample.wall_ns } else { 0 });
        }
    }
    let mut chosen: Vec<(Place, usize, Sum)> =
        known.into_iter().filter_map(|(place, index)| Some((place, index, *sums.get(index)?))).collect();
    chosen.sort_unstable_by(|a, b| (b.2.all_ns, &a.0).cmp(&(a.2.all_ns, &b.0)));
    chosen.truncate(MOST.min(MOST_OF_ALL / processes.max(1)));
    let strips = strips(timeline, samples, &places, &chosen.iter().map(|(_, index, _)| *index).collect::<Vec<_>>());
    let mut sources = Sources::default();
    let line = |(((file, line), _, sum), strip): ((Place, usize, Sum), String)| {
        let text = sources.at(&file, line).map(|text| text.trim_end().chars().take(LONGEST).collect());
        Line { text, file, line, own_ns: sum.own_ns, all_ns: sum.all_ns, strip }
    };
    let mut lines: Vec<Line> = chosen.into_iter().zip(strips).map(line).collect();
    // Where the program's sources are, those of other libraries would stand there as numbers.
    if lines.iter().any(|line| line.text.is_some()) {
        lines.retain(|line| line.text.is_some());
    }
    by_file(lines)
}

/// The lines in their files' order: the file with the most time in its lines first.
fn by_file(mut lines: Vec<Line>) -> Vec<Line> {
    let mut files: FxHashMap<String, u64> = FxHashMap::default();
    lines.iter().for_each(|line| {
        let ns = files.entry(line.file.clone()).or_default();
        *ns = figure::sum(*ns, line.own_ns);
    });
    let time = |line: &Line| std::cmp::Reverse(files.get(&line.file).copied());
    lines.sort_by(|a, b| (time(a), &a.file, a.line).cmp(&(time(b), &b.file, b.line)));
    lines
}

/// The strips of some lines, by their indices.
fn strips(
    timeline: &Timeline,
    samples: &[Weighted<'_>],
    places: &FxHashMap<*const FrameName, Option<usize>>,
    chosen: &[usize],
) -> Vec<String> {
    let rows: FxHashMap<usize, usize> = chosen.iter().copied().zip(0..).collect();
    let (begin_ns, length_ns) = (timeline.begin_ns, (timeline.end_ns.saturating_sub(timeline.begin_ns)).max(1));
    let piece_ns = length_ns.div_ceil(PIECES as u64);
    let mut times = vec![[[0_u64; 2]; PIECES]; chosen.len()];
    for sample in samples {
        let row = |frame: &Rc<FrameName>| rows.get(&(*places.get(&Rc::as_ptr(frame))?)?).copied();
        let on: FxHashSet<usize> = sample.frames.iter().filter_map(row).collect();
        let end_ns = sample.at_ns.saturating_sub(begin_ns).min(length_ns);
        let mut at_ns = end_ns.saturating_sub(sample.wall_ns);
        while at_ns < end_ns {
            let piece = at_ns / piece_ns;
            let until_ns = (piece + 1).saturating_mul(piece_ns).min(end_ns);
            for row in &on {
                let time = times.get_mut(*row).and_then(|row| row.get_mut(usize::try_from(piece).ok()?));
                let time = time.and_then(|time| time.get_mut(usize::from(sample.waits)));
                time.into_iter().for_each(|time| *time = figure::sum(*time, until_ns - at_ns));
            }
            at_ns = until_ns;
        }
    }
    let threads = samples.iter().map(|sample| sample.thread).collect::<FxHashSet<_>>().len() as u64;
    let whole_ns = piece_ns.saturating_mul(threads.max(1));
    // A short time can be seen, too.
    let digit = |ns: u64| char::from(b'0' + u8::try_from(ns.saturating_mul(9).div_ceil(whole_ns).min(9)).unwrap_or(9));
    times.iter().map(|row| row.iter().flatten().map(|ns| digit(*ns)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    fn frame(file: Option<&str>, line: u32, function: &str) -> Rc<FrameName> {
        let (function, file) = (function.to_owned(), file.map(str::to_owned));
        Rc::new(FrameName { function, file, line, object: String::new() })
    }

    #[test]
    fn a_line_has_its_time_where_it_was_spent() {
        let folder = tempfile::Builder::new().permissions(Permissions::from_mode(0o755)).tempdir().unwrap();
        let file = folder.path().join("a.c");
        std::fs::write(&file, "int main(void) {\n    f();\n}\n").unwrap();
        let name = file.display().to_string();
        let main = frame(Some(&name), 2, "main");
        let work = [main.clone(), frame(Some("/no/b.c"), 7, "f")];
        let wait = [main, frame(None, 0, "<OMP-implicit_barrier>")];
        let sample = |frames, at_ns, wall_ns, waits| Weighted {
            frames,
            wall_ns,
            cpu_ns: 0,
            thread: 0,
            process: 0,
            at_ns,
            waits,
            state: "work",
        };
        let timeline = Timeline { begin_ns: 1000, end_ns: 1000 + 1200, ..Timeline::default() };
        // The first half is work, then nobody is there; the last tenth is a wait.
        let lines = of(&timeline, &[sample(&work, 1600, 600, false), sample(&wait, 2200, 120, true)], 1);
        let shown = |lines: &[Line]| {
            lines.iter().map(|it| (it.line, it.text.clone(), it.own_ns, it.all_ns)).collect::<Vec<_>>()
        };
        assert_eq!(shown(&lines), [(2, Some("    f();".to_owned()), 120, 720)]);
        let strip = [&"90".repeat(60)[..], &"00".repeat(48), &"09".repeat(12)].concat();
        assert_eq!(lines[0].strip, strip);
        // A file that root alone may read is no source for root: who reads the page may be anybody.
        std::fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        let lines = of(&timeline, &[sample(&wait, 2200, 120, true)], 1);
        assert_eq!(lines[0].text.is_none(), rustix::process::geteuid().is_root());
        // Without any source the places are there.
        std::fs::remove_file(&file).unwrap();
        let lines = of(&timeline, &[sample(&work, 1600, 600, false), sample(&wait, 2200, 120, true)], 1);
        assert_eq!(shown(&lines), [(7, None, 600, 600), (2, None, 120, 720)]);
    }
}
