//! Format of the numbers of enums: hexadecimal for flags and states. Numbers that don't fit into an `int` are put under `__extension__`, as
//! gcc and clang reject them otherwise under `-pedantic` before C23.

/// Returns `text`, a header from cbindgen, with the numbers of enums in this format.
pub(super) fn spelled(text: &str) -> String {
    let mut types = text.split("typedef enum ");
    let before = types.next().unwrap_or_default().to_owned();
    types.fold(before, |out, it| {
        let (definition, after) = it.split_at(it.find("\n}").unwrap_or(it.len()));
        let name = it.split(' ').next().unwrap_or_default();
        let is_hexadecimal = name.ends_with("_flag_t") || name == "ompt_state_t";
        let lines = definition.split('\n').map(|line| match enumerator(line) {
            Some((variant, value)) if is_hexadecimal => format!("    {variant} = {value:#x},"),
            _ => line.to_owned(),
        });
        let is_large = definition.lines().filter_map(enumerator).any(|(_, value)| i32::try_from(value).is_err());
        let extension = if is_large { "__extension__ " } else { "" };
        format!("{out}{extension}typedef enum {}{after}", lines.collect::<Vec<_>>().join("\n"))
    })
}

/// Name and number on a line of an enum; `None` for any other line.
fn enumerator(line: &str) -> Option<(&str, u64)> {
    let (variant, value) = line.trim().strip_suffix(',')?.split_once(" = ")?;
    Some((variant, value.parse().ok()?))
}
