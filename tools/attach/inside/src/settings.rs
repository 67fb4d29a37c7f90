//! Settings of a session, as text: `NAME=VALUE`, each terminated by a zero byte, like a process's environment.

use std::ffi::CStr;

/// Value of a setting.
pub fn value<'a>(settings: &'a [u8], name: &CStr) -> Option<&'a [u8]> {
    let mut entries = settings.split(|byte| *byte == 0);
    entries.find_map(|entry| entry.strip_prefix(name.to_bytes())?.strip_prefix(b"="))
}

/// Appends a setting.
pub fn push(settings: &mut Vec<u8>, name: &CStr, value: &[u8]) {
    settings.extend([name.to_bytes(), b"=", value, b"\0"].concat());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_found_by_its_whole_name() {
        let mut settings = Vec::new();
        push(&mut settings, c"LONGER", b"1");
        push(&mut settings, c"LONG", b"a=b");
        push(&mut settings, c"EMPTY", b"");
        assert_eq!(value(&settings, c"LONG"), Some(&b"a=b"[..]));
        assert_eq!((value(&settings, c"EMPTY"), value(&settings, c"LON")), (Some(&b""[..]), None));
    }
}
