//! Writer of folded stacks for Brendan Gregg's FlameGraph: a line for each stack, with its functions from the root on,
//! separated by semicolons, a blank, and its microseconds.

use std::io::{self, Write};

use super::tree::Tree;
use super::{Clock, Weighted};

/// Writes the stacks, each once, ordered by name.
///
/// # Errors
/// As for `out`.
pub fn write<'a>(out: &mut impl Write, stacks: impl IntoIterator<Item = Weighted<'a>>, clock: Clock) -> io::Result<()> {
    for (stack, us) in Tree::of(stacks, clock).lines(0) {
        writeln!(out, "{stack} {us}")?;
    }
    Ok(())
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
