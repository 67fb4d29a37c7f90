//! Addresses, and their places in code with and without debug information.

use super::*;

#[test]
fn an_address_becomes_a_line_where_there_is_debug_information() {
    let own = an_address_becomes_a_line_where_there_is_debug_information as fn() as usize as u64;
    let path = std::env::current_exe().unwrap();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let mapped = maps.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let hex = |text| u64::from_str_radix(text, 16).unwrap();
        let offset = hex(words.nth(1)?);
        let inode = words.nth(1)?.parse().unwrap();
        let range = hex(start)..hex(end);
        range.contains(&own).then(|| Mapped {
            start: range.start,
            end: range.end,
            offset,
            inode,
            path: path.to_str().unwrap().to_owned(),
        })
    });
    let mut mapped = mapped.unwrap();
    let place = Resolver::new(vec![Mapped { path: mapped.path.clone(), ..mapped }], &Files::default()).place(own + 8);
    let Place::Line { function, file, .. } = &place else { panic!("{place:?}") };
    assert!(function.contains("an_address_becomes_a_line"), "{function}");
    assert!(file.ends_with("resolver/tests.rs"), "{file}");
    mapped.inode += 1;
    let offset = own + 8 - mapped.start + mapped.offset;
    let other = Resolver::new(vec![mapped], &Files::default()).place(own + 8);
    assert_eq!(other, Place::Offset { object: short(path.to_str().unwrap()).to_owned(), address: offset });
}

#[test]
fn places_without_an_address_have_names() {
    let mut resolver = Resolver::new(Vec::new(), &Files::default());
    assert_eq!(resolver.place(place::CHUNK), Place::Chunk);
    assert_eq!(resolver.place(place::MANY), Place::Many);
    assert_eq!([resolver.place(place::UNKNOWN), resolver.place(0)], [Place::Unknown, Place::Unknown]);
    assert_eq!(resolver.place(0x7000), Place::Address(0x7000));
}
