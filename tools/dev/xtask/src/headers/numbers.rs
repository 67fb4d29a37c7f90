//! Format of the numbers of enums: hexadecimal for flags and states. Numbers that don't fit into an `int` are put under `__extension__`, as
//! gcc and clang reject them otherwise under `-pedantic` before C23.

/// Returns `text`, a header from cbindgen, with the numbers of enums in this format.
pub(super) fn spelled(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Lines of the enum being read, and its name.
    let mut open: Option<(Vec<String>, &str)> = None;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("typedef enum ").and_then(|rest| rest.strip_suffix(" {")) {
            open = Some((vec![line.to_owned()], name));
        } else if let Some((lines, name)) = &mut open {
            let hexadecimal = name.ends_with("_flag_t") || *name == "ompt_state_t";
            let value = enumerator(line);
            lines.push(match value {
                Some((variant, value)) if hexadecimal => format!("    {variant} = {value:#x},"),
                _ => line.to_owned(),
            });
            let too_large = value.is_some_and(|(_, value)| i32::try_from(value).is_err());
            if let Some(first) = lines.first_mut()
                && too_large
                && !first.starts_with("__extension__")
            {
                first.insert_str(0, "__extension__ ");
            }
            if line.starts_with('}') {
                out.push_str(&(lines.join("\n") + "\n"));
                open = None;
            }
        } else {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// Name and number on a line of an enum; `None` for any other line.
fn enumerator(line: &str) -> Option<(&str, u64)> {
    let (variant, value) = line.trim().strip_suffix(',')?.split_once(" = ")?;
    Some((variant, value.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_hexadecimal_and_others_decimal() {
        let flags =
            "typedef enum a_flag_t {\n    /**\n     * One.\n     */\n    a_one = 1,\n    a_two = 16,\n} a_flag_t;\n";
        assert_eq!(spelled(flags), flags.replace("= 16", "= 0x10").replace("= 1,", "= 0x1,"));
        let kinds = "int a;\ntypedef enum a_kind_t {\n    a_last = 16,\n} a_kind_t;\nint b = 16,\n";
        assert_eq!(spelled(kinds), kinds);
    }

    #[test]
    fn only_an_enum_with_a_number_beyond_int_is_an_extension() {
        let text = |number: &str| format!("typedef enum a_kind_t {{\n    a_last = {number},\n}} a_kind_t;\n");
        assert_eq!(spelled(&text("2147483647")), text("2147483647"));
        assert_eq!(spelled(&text("2147483648")), format!("__extension__ {}", text("2147483648")));
    }
}
