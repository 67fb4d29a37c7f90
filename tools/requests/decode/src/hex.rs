//! Bytes from hexadecimal text: plain, or as xxd, hexdump, od and gdb print it.

use anyhow::{Context, Result, bail};

struct Line {
    number: usize,
    offset: Option<String>,
    tokens: Vec<String>,
    /// hexdump's and od's mark for lines that are the same as the one before.
    star: bool,
}

/// Form of the offsets at the start of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Offsets {
    None,
    /// Offsets followed by a colon, as xxd and gdb print them; they are ignored.
    Colon,
    /// Offsets as the first word of each line, as hexdump and od print them.
    First,
}

/// # Errors
/// If something isn't a hexadecimal number, or lines are missing.
pub(super) fn parse(text: &str, words: bool) -> Result<Vec<u8>> {
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).filter(|(_, line)| !bare(line).is_empty()).collect();
    let offsets = offsets(&lines);
    let lines: Vec<Line> = lines.into_iter().map(|(number, line)| split(number, line, offsets)).collect();
    if offsets != Offsets::First {
        return Ok(lines.iter().map(|line| bytes(line, words, false)).collect::<Result<Vec<_>>>()?.concat());
    }
    // hexdump counts hexadecimally, od octally: the number system that agrees with the lengths of the lines is right.
    assemble(&lines, 16, words).or_else(|error| assemble(&lines, 8, words).map_err(|_| error))
}

/// The line without remarks and without the column of characters that `hexdump -C` adds.
fn bare(line: &str) -> &str {
    line.split(['#', '|']).next().unwrap_or_default().trim()
}

fn offsets(lines: &[(usize, &str)]) -> Offsets {
    if lines.iter().any(|(_, line)| bare(line).contains(':')) {
        return Offsets::Colon;
    }
    let Some((_, first)) = lines.first() else { return Offsets::None };
    let words: Vec<&str> = bare(first).split_whitespace().collect();
    let [offset, next, ..] = words.as_slice() else { return Offsets::None };
    let is_offset = (6..=16).contains(&offset.len()) && offset.bytes().all(|b| b.is_ascii_hexdigit());
    let other_width = next.len() != offset.len() && !next.starts_with("0x");
    if is_offset && (offset.len() % 2 == 1 || (other_width && offset.bytes().all(|b| b == b'0'))) {
        Offsets::First
    } else {
        Offsets::None
    }
}

fn split(number: usize, line: &str, offsets: Offsets) -> Line {
    let line = bare(line);
    let mut offset = None;
    let mut rest = line;
    if let (Offsets::Colon, Some((_, behind))) = (offsets, line.split_once(':')) {
        // Two blanks end the numbers of xxd; gdb prints tabs.
        let behind = behind.trim_start();
        rest = behind.split_once("  ").map_or(behind, |(numbers, _)| numbers);
    }
    let mut tokens: Vec<String> = rest
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let star = line == "*";
    if offsets == Offsets::First && !star && !tokens.is_empty() {
        offset = Some(tokens.remove(0));
    }
    Line { number, offset, tokens, star }
}

fn assemble(lines: &[Line], radix: u32, words: bool) -> Result<Vec<u8>> {
    let mut all: Vec<u8> = Vec::new();
    let (mut base, mut last, mut repeat) = (None, Vec::new(), false);
    for line in lines {
        if line.star {
            repeat = true;
            continue;
        }
        let offset = line.offset.as_deref().unwrap_or_default();
        let at = usize::from_str_radix(offset, radix)
            .with_context(|| format!("line {}: `{offset}` is not an offset", line.number))?;
        let at = at.wrapping_sub(*base.get_or_insert(at));
        while repeat && !last.is_empty() && all.len() < at && at < 1 << 24 {
            all.extend_from_slice(&last);
        }
        repeat = false;
        if at != all.len() {
            bail!("line {}: its offset is {offset}, but {:#x} bytes come before it", line.number, all.len());
        }
        last = bytes(line, words, true)?;
        all.extend_from_slice(&last);
    }
    Ok(all)
}

/// The bytes of one line. `dumped`: groups of more than one byte are numbers, as hexdump and od print them.
fn bytes(line: &Line, words: bool, dumped: bool) -> Result<Vec<u8>> {
    let mut all = Vec::new();
    for token in &line.tokens {
        let prefixed = token.strip_prefix("0x").or_else(|| token.strip_prefix("0X"));
        let digits = prefixed.unwrap_or(token);
        let wrong = || format!("line {}: `{token}` is not hexadecimal", line.number);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            bail!(wrong());
        }
        if words {
            let number = u32::from_str_radix(digits, 16).with_context(|| format!("{} of 32 bits", wrong()))?;
            all.extend_from_slice(&number.to_ne_bytes());
            continue;
        }
        let digits = if digits.len() == 1 { format!("0{digits}") } else { digits.to_owned() };
        if digits.len() % 2 == 1 {
            bail!("line {}: `{token}` has an odd number of digits", line.number);
        }
        let pairs = (0..digits.len()).step_by(2).filter_map(|at| digits.get(at..at + 2));
        let mut bytes =
            pairs.map(|pair| u8::from_str_radix(pair, 16)).collect::<Result<Vec<_>, _>>().with_context(wrong)?;
        // The group is a number, not bytes in the order of memory.
        if (dumped || prefixed.is_some()) && matches!(bytes.len(), 2 | 4 | 8) {
            bytes.reverse();
        }
        all.extend(bytes);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty CURRENT_PRID entry with a `mem` of 4 bytes that no dump shortens.
    const WANTED: [u8; 24] = [20, 0, 0, 0, 4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x7a, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0];

    #[test]
    fn every_tools_way_of_printing_is_read() {
        for text in [
            "1400000004000000ffffffff7a0000000102030400000000",
            "14 00 00 00 04 00 00 00 ff ff ff ff 7a 00 00 00 01 02 03 04 00 00 00 00",
            "0x14 0 0 0 0x4 0 0 0 0xff 0xff 0xff 0xff\n0x7A,0,0,0,1,2,3,4,0,0,0,0 # a remark\n",
            "00000000: 1400 0000 0400 0000 ffff ffff 7a00 0000  ........ab:z....\n00000010: 0102 0304 0000 0000                      ........\n",
            "00000000  14 00 00 00 04 00 00 00  ff ff ff ff 7a 00 00 00  |............z...|\n00000010  01 02 03 04 00 00 00 00                           |........|\n00000018\n",
            "0000000 0014 0000 0004 0000 ffff ffff 007a 0000\n0000010 0201 0403 0000 0000\n0000018\n",
            "0000000 000014 000000 000004\n"
                .replace("000014 000000 000004", "14 00 00 00 04 00 00 00 ff ff ff ff 7a 00 00 00")
                .as_str(),
            "0x7ffe0010:\t0x00000014\t0x00000004\t0xffffffff\t0x0000007a\n0x7ffe0020 <b+16>:\t0x04030201\t0x00000000\n",
        ] {
            let bytes = parse(text, false).unwrap();
            assert!(
                !bytes.is_empty() && WANTED.starts_with(&bytes) && (bytes.len() == 24 || text.len() < 80),
                "{text}: {bytes:?}"
            );
        }
        let octal =
            "0000000 14 00 00 00 04 00 00 00 ff ff ff ff 7a 00 00 00\n0000020 01 02 03 04 00 00 00 00\n0000030\n";
        assert_eq!(parse(octal, false).unwrap(), WANTED);
        assert_eq!(parse("14 4 ffffffff 0x7a 04030201 0", true).unwrap(), WANTED);
    }

    #[test]
    fn lines_that_a_dump_left_out_come_back() {
        let text = "00000000  aa aa aa aa aa aa aa aa  aa aa aa aa aa aa aa aa  |................|\n*\n00000030  01                 |.|\n";
        let bytes = parse(text, false).unwrap();
        assert_eq!((bytes.len(), bytes[47], bytes[48]), (49, 0xaa, 1));
    }

    #[test]
    fn what_is_no_dump_is_refused_with_its_line() {
        for (text, says) in [
            ("14 00\n00 zz", "line 2: `zz` is not hexadecimal"),
            ("140", "odd number of digits"),
            ("00000000  14 00 00 00\n00000010  00 00 00 00\n", "line 2: its offset is 00000010, but 0x4 bytes"),
        ] {
            let error = format!("{:#}", parse(text, false).unwrap_err());
            assert!(error.contains(says), "{error}");
        }
        assert!(parse("123456789", true).is_err());
    }
}
