//! Bytes from a C array of bytes or of `int` words, which may contain the interface's names.

use anyhow::{Context, Result, bail};

use super::names;

/// # Errors
/// If an element is neither a number nor a name, or does not fit.
pub(super) fn parse(text: &str, words: bool) -> Result<Vec<u8>> {
    let text = without_remarks(text);
    let (head, body) = text.split_once('{').unwrap_or(("", &text));
    // Code after a `;` isn't part of the array.
    let body = body.split(';').next().unwrap_or_default();
    let words = words || declares_words(head);
    let mut all = Vec::new();
    let elements = body.split([',', '{', '}']).map(str::trim).filter(|element| !element.is_empty());
    for (place, element) in (1..).zip(elements) {
        let value = value(element).with_context(|| format!("element {place}, `{element}`, is not a number"))?;
        if words {
            let word = i32::try_from(value).or_else(|_| u32::try_from(value).map(u32::cast_signed));
            let word = word.with_context(|| format!("element {place}, `{element}`, does not fit into an int"))?;
            all.extend_from_slice(&word.to_ne_bytes());
        } else {
            let byte = u8::try_from(value).or_else(|_| i8::try_from(value).map(i8::cast_unsigned));
            let byte = byte.with_context(|| {
                format!("element {place}, `{element}`, does not fit into a byte: is this an array of int (--words)?")
            })?;
            all.push(byte);
        }
    }
    Ok(all)
}

/// True if the declaration before the array is one of `int`s.
fn declares_words(head: &str) -> bool {
    let kind = head.split('[').next().unwrap_or_default();
    kind.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| matches!(word, "int" | "int32_t" | "uint32_t"))
}

fn value(element: &str) -> Result<i64> {
    if let Some(number) = names::number(element) {
        return Ok(number.into());
    }
    let digits = element.trim_end_matches(['u', 'U', 'l', 'L']);
    let (negative, digits) = digits.strip_prefix('-').map_or((false, digits), |digits| (true, digits.trim()));
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let octal = digits.strip_prefix('0').filter(|rest| !rest.is_empty());
    let (digits, radix) = match (hexadecimal, octal) {
        (Some(digits), _) => (digits, 16),
        (None, Some(digits)) => (digits, 8),
        (None, None) => (digits, 10),
    };
    // At most one sign, at the start.
    if digits.starts_with(['+', '-']) {
        bail!("invalid digit found in string");
    }
    let number = i64::from_str_radix(digits, radix);
    match number {
        Ok(number) => Ok(if negative { -number } else { number }),
        Err(error) => bail!("{error}"),
    }
}

fn without_remarks(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("/*") {
        out.push_str(before);
        out.push(' ');
        rest = behind.split_once("*/").map_or("", |(_, behind)| behind);
    }
    out.push_str(rest);
    out.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_words_are_read() {
        assert_eq!(
            parse("{0x10, 0, 0, 0, -1, 255, 'x'}", false).unwrap_err().to_string(),
            "element 7, `'x'`, is not a number"
        );
        assert_eq!(parse("{0x10, 0, /* a, b */ 010, -1, 255u, }", false).unwrap(), [16, 0, 8, 255, 255]);
        assert_eq!(parse("16, 0", true).unwrap(), [16, 0, 0, 0, 0, 0, 0, 0]);
        let declared = "static int list[] = {\n  16, OMP_REQ_STOP, // remark\n -1, 0xffffffff, {0} };\nint other = 7;";
        assert_eq!(parse(declared, false).unwrap(), [16i32, 6, -1, -1, 0].map(i32::to_ne_bytes).concat());
        assert_eq!(parse("const unsigned char print[2] = {1, 2};", false).unwrap(), [1, 2]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for number in ["--9223372036854775808", "--1", "-+1", "0x-1", "0-1", "-0-1", "0+7"] {
            assert!(parse(number, true).unwrap_err().to_string().contains("is not a number"), "{number}");
        }
        let byte = parse("{16, 256}", false).unwrap_err().to_string();
        assert!(byte.contains("element 2, `256`") && byte.contains("--words"), "{byte}");
        assert!(parse("{0x7f0000001000}", true).unwrap_err().to_string().contains("does not fit into an int"));
    }
}
