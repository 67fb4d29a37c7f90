//! Reader of a process's file.

use crate::{Line, raw_path};

/// The lines of a file that could be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    /// The lines, in the order of the file.
    pub lines: Vec<Line>,
    /// Number of whole lines that this version doesn't understand.
    pub skipped: usize,
    /// True if the last line is incomplete: the process died while it wrote.
    pub cut: bool,
}

/// Reads a whole file. Paths of modules that are not UTF-8 keep their bytes.
pub fn read(bytes: &[u8]) -> Lines {
    let mut read = Lines::default();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let Some(line) = line.strip_suffix(b"\n") else {
            read.cut = true;
            continue;
        };
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_str(&raw_path::text(line)) {
            Ok(line) => read.lines.push(line),
            Err(_) => read.skipped += 1,
        }
    }
    read
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Address, Suppressed};

    #[test]
    fn a_cut_line_and_an_unknown_one_lose_nothing_else() {
        let text = b"{\"type\":\"suppressed\",\"count\":2,\"reason\":\"tls\",\"new key\":1}\n\n{\"type\":\"other\"}\n{\"type\":\"end\",";
        let expected = Line::Suppressed(Suppressed { count: 2, reason: "tls".to_owned() });
        assert_eq!(read(text), Lines { lines: vec![expected], skipped: 1, cut: true });
    }

    #[test]
    fn a_race_may_leave_out_what_is_unknown() {
        let text = br#"{"type":"race","id":1,"sure":false,"why_possible":"chunks of one thread","accesses":[{"write":true,"size":8,"address":"0x10","os_thread":1,"omp_thread":0,"stack":["0x40"],"stack_restored":true},{"region":{"codeptr":"0x5","team":2}}],"location":null}
"#;
        let read = read(text);
        let [Line::Race(race)] = read.lines.as_slice() else { panic!("{read:?}") };
        assert_eq!(race.accesses[0].stack, [Address(0x40)]);
        assert_eq!(race.accesses[1].region.as_ref().map(|region| region.team), Some(2));
        assert_eq!((race.sure, race.location.is_none()), (false, true));
    }

    #[test]
    fn a_path_that_is_not_utf_8_keeps_its_bytes() {
        let read =
            read(b"{\"type\":\"module\",\"path\":\"/a\xff\",\"start\":\"0x1\",\"end\":\"0x2\",\"offset\":\"0x0\"}\n");
        let [Line::Module(module)] = read.lines.as_slice() else { panic!("{read:?}") };
        assert_eq!(module.path.as_encoded_bytes(), b"/a\xff");
        let line = serde_json::to_string(&Line::Module(module.clone())).unwrap();
        assert_eq!(super::read((line + "\n").as_bytes()), read);
    }
}
