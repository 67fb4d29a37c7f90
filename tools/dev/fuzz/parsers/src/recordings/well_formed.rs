//! Checks that the output for a recording is well-formed, no matter which names the recording contains.

use quick_xml::events::Event;
use quick_xml::{Reader, XmlVersion};

use super::outputs::Written;

/// Checks each document and text.
///
/// # Panics
/// If one is not well-formed.
pub fn check(written: &Written) {
    for (name, document) in &written.json {
        let parsed = serde_json::from_slice::<serde_json::Value>(document);
        assert!(parsed.is_ok(), "{name}: {parsed:?}");
    }
    for (name, document) in &written.markup {
        let text = str::from_utf8(document).expect(name);
        let forbidden = |c: char| c < ' ' && !matches!(c, '\n' | '\t') || matches!(c, '\u{fffe}' | '\u{ffff}');
        assert_eq!(text.find(forbidden), None, "{name}");
        match *name {
            "flame" => xml(text),
            // The page itself has two, for its data and its program.
            _ => assert_eq!(text.matches("</script").count(), 2, "{name}"),
        }
    }
    for (name, text) in &written.text {
        let text = str::from_utf8(text).expect(name);
        let acts =
            |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        assert_eq!(text.find(acts), None, "{name}: {text:?}");
    }
}

/// Checks that each element ends, and that each reference is one that XML predefines.
fn xml(text: &str) {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let mut open = 0_i32;
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                open += 1;
                start
                    .attributes()
                    .for_each(|attribute| drop(attribute.unwrap().normalized_value(XmlVersion::Implicit1_0).unwrap()));
            }
            Event::Empty(start) => {
                start
                    .attributes()
                    .for_each(|attribute| drop(attribute.unwrap().normalized_value(XmlVersion::Implicit1_0).unwrap()));
            }
            Event::End(_) => open -= 1,
            Event::GeneralRef(reference) => {
                let name = reference.decode().unwrap();
                let known = name.starts_with('#') || ["amp", "lt", "gt", "quot", "apos"].contains(&&*name);
                assert!(known, "{name}");
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(open, 0);
}
