//! Folded stacks, as Brendan Gregg's FlameGraph reads them: a line for each stack, its functions from the root on with
//! semicolons between them, a blank, and its microseconds.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::{Clock, FrameName, Weighted};

/// Writes them, each stack once, in the order of their names.
///
/// # Errors
/// Those of `out`.
pub fn write<'a>(out: &mut impl Write, stacks: impl IntoIterator<Item = Weighted<'a>>, clock: Clock) -> io::Result<()> {
    for (stack, us) in lines(stacks, clock) {
        writeln!(out, "{stack} {us}")?;
    }
    Ok(())
}

/// The stacks and their microseconds. What is less than half of one in all is left out.
pub(super) fn lines<'a>(
    stacks: impl IntoIterator<Item = Weighted<'a>>,
    clock: Clock,
) -> impl Iterator<Item = (String, u64)> {
    // First by the place of the frames: equal stacks are often the same.
    let mut places: BTreeMap<(*const FrameName, usize), (&'a [FrameName], u64)> = BTreeMap::new();
    for stack in stacks {
        let place = (stack.frames.as_ptr(), stack.frames.len());
        places.entry(place).or_insert((stack.frames, 0)).1 += clock.of(&stack);
    }
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for (frames, ns) in places.into_values().filter(|(frames, _)| !frames.is_empty()) {
        *lines.entry(line(frames)).or_default() += ns;
    }
    lines.into_iter().map(|(line, ns)| (line, ns.saturating_add(500) / 1000)).filter(|(_, us)| *us > 0)
}

fn line(frames: &[FrameName]) -> String {
    let mut line = String::new();
    for frame in frames {
        if !line.is_empty() {
            line.push(';');
        }
        let letters = frame.function.trim().chars();
        // A semicolon would end the name (Rust's arrays have them), a new line the stack.
        line.extend(letters.map(|letter| match letter {
            ';' => ':',
            letter if letter.is_control() => ' ',
            letter => letter,
        }));
        if frame.function.trim().is_empty() {
            line.push('?');
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::out::tests::{frames, weighted};

    fn written(stacks: &[Weighted], clock: Clock) -> String {
        let mut out = Vec::new();
        write(&mut out, stacks.iter().copied(), clock).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn equal_stacks_are_one_line_and_their_times_add_up() {
        let (first, again, other) = (frames(&["main", "work"]), frames(&["main", "work"]), frames(&["main"]));
        let stacks = [
            weighted(&first, 1_000_300, 700),
            weighted(&other, 5_000, 0),
            weighted(&again, 2_000_300, 0),
            weighted(&first, 400, 0),
        ];
        assert_eq!(written(&stacks, Clock::Wall), "main 5\nmain;work 3001\n");
        assert_eq!(written(&stacks, Clock::Cpu), "main;work 1\n");
    }

    #[test]
    fn names_do_not_break_the_format() {
        let odd = frames(&["main", "f<[u8; 4]>(int, char)", "a\nb", "  ", "<OMP-idle>"]);
        assert_eq!(written(&[weighted(&odd, 1000, 0)], Clock::Wall), "main;f<[u8: 4]>(int, char);a b;?;<OMP-idle> 1\n");
        assert_eq!(written(&[weighted(&[], 1000, 0)], Clock::Wall), "");
    }
}
