use super::*;

const OBJECT: Object<'_> = Object { name: b"my fill", build_id: Some(b"0aff") };
const REGION: Region = Region { begin: 0x1189, end: 0x1240, threads: 2, chunk: 64 };

#[test]
fn what_is_written_is_read() {
    let all = [
        Line::Object(OBJECT),
        Line::Region(REGION),
        Line::Region(Region { chunk: 0, ..REGION }),
        Line::Object(Object { build_id: None, ..OBJECT }),
        Line::Region(Region { threads: 0, ..REGION }),
    ];
    let mut file = "# for people\n\n".to_owned();
    for line in all {
        file += &match line {
            Line::Object(object) => format!("{object}\n"),
            Line::Region(region) => format!("  {region}   # rows at fill.c:12\n"),
        };
    }
    assert_eq!(lines(file.as_bytes()).collect::<Vec<_>>(), all.map(Ok));
}

#[test]
fn other_lines_are_wrong() {
    for line in [
        "objects fill -",
        "object fill",
        "object fill 0",
        "object fill 0x",
        "region 1 2",
        "region 0x1",
        "region 0x2 0x2 threads=1",
        "region 0x1 0x2 threads",
        "region 0x1 0x2 threads=-1",
        "region 0x1 0x2 chunk=0x1",
        "region 0x 0x1",
        "region 0x+1 0x2",
    ] {
        let file = format!("object fill -\n{line}\n");
        assert_eq!(lines(file.as_bytes()).nth(1), Some(Err(Wrong(2))), "{line}");
    }
    assert!(Wrong(2).to_string().starts_with("line 2 "));
}

#[test]
fn an_object_is_known_by_its_build_id_or_by_its_name() {
    assert!(OBJECT.is(b"moved", Some(&[0x0a, 0xff])));
    assert!(!OBJECT.is(b"my fill", Some(&[0x0a, 0xfe])) && !OBJECT.is(b"my fill", Some(&[0x0a])));
    assert!(OBJECT.is(b"my fill", None) && !OBJECT.is(b"fill", None));
    let nameless = Object { build_id: None, ..OBJECT };
    assert!(nameless.is(b"my fill", Some(&[1])) && !nameless.is(b"fill", Some(&[1])));
}
