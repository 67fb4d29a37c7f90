//! Properties of the walk over the byte array: any bytes, compared with a slow reference implementation.
#![allow(unsafe_code)] // passes arrays to the entry of `wire` and to the exported function

use fuzz::reference::{Capabilities, Here, Session, walk};
use ora::exports::__omp_collector_api;
use ora::wire::{Entries, MAX_MEM, WireError, length};
use proptest::prelude::*;

/// The reference's configuration without a session: requests other than START are still answered.
fn capabilities() -> Capabilities {
    Capabilities { events: [false; 36], tasks: false, code: Vec::new() }
}

/// Entries that are within the array, or not; START is left to the tests of the session.
fn array() -> impl Strategy<Value = Vec<i32>> {
    let size = prop_oneof![
        6 => prop::sample::select(vec![16, 20, 24, 28, 32, 36, 64, 272]),
        1 => prop::sample::select(vec![0, 1, 12, 15, 17, 18, 19, 21, -4, -16, i32::MIN, i32::MAX]),
        1 => any::<i32>(),
    ];
    let request = prop_oneof![4 => 1..11, 1 => 11..300, 1 => any::<i32>()].prop_filter("no START", |r| *r != 0);
    let entry = (size, request, any::<[i32; 2]>(), any::<i32>()).prop_map(|(size, request, [ec, rsz], fill)| {
        let words = usize::try_from(size).unwrap_or(0).clamp(16, 512) / 4;
        let mut entry = vec![size, request, ec, rsz];
        entry.resize(words, fill);
        entry
    });
    prop::collection::vec(entry, 0..6).prop_map(|entries| closed(entries.concat()))
}

/// Establishes the caller's guarantee: entries are whole, and a zero or a bad size ends them.
fn closed(mut array: Vec<i32>) -> Vec<i32> {
    let mut at = 0;
    while let Some(size) = array.get(at).copied() {
        if size < 16 || size % 4 != 0 {
            array.truncate(at + 1);
            return array;
        }
        let end = at + size.unsigned_abs() as usize / 4;
        if end > array.len() {
            break;
        }
        at = end;
    }
    array.truncate(at);
    array.push(0);
    array
}

fn bytes(array: &[i32]) -> Vec<u8> {
    array.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

proptest! {
    #[test]
    fn a_call_before_any_session_is_answered_as_the_reference_says(array in array()) {
        let mut expected = bytes(&array);
        let outcome = walk(&mut expected, 0, &mut Session::default(), &Here::serial(false), &capabilities());
        let mut given = array.clone();
        // SAFETY: `closed` establishes the caller's guarantee.
        let returned = unsafe { __omp_collector_api(given.as_mut_ptr().cast()) };
        prop_assert_eq!(returned, outcome.returned);
        prop_assert_eq!(bytes(&given), expected);
    }

    #[test]
    fn the_walk_gives_each_entry_once_with_its_request_and_room(array in array()) {
        let mut given = array.clone();
        // SAFETY: `closed` establishes the caller's guarantee.
        let mut entries = unsafe { Entries::new(given.as_mut_ptr().cast()) }.unwrap();
        let mut at = 0;
        loop {
            let size = array[at];
            match entries.next_entry() {
                Ok(Some(entry)) => {
                    prop_assert!(size >= 16 && size % 4 == 0);
                    prop_assert_eq!(entry.request(), array[at + 1]);
                    prop_assert_eq!(entry.room(), (size as usize - 16).min(MAX_MEM));
                    at += size as usize / 4;
                }
                Ok(None) => {
                    prop_assert_eq!(size, 0);
                    break;
                }
                Err(error) => {
                    prop_assert_eq!(error, WireError::Size(size));
                    break;
                }
            }
        }
        prop_assert_eq!(at, array.len() - 1);
        prop_assert_eq!(given, array);
    }

    #[test]
    fn a_length_is_zero_or_a_multiple_of_four_from_sixteen(sz in any::<i32>()) {
        let expected = match sz {
            0 => Ok(None),
            _ if sz >= 16 && sz % 4 == 0 => Ok(Some(sz as usize)),
            _ => Err(WireError::Size(sz)),
        };
        prop_assert_eq!(length(sz), expected);
    }

    #[test]
    fn mem_is_read_and_written_within_its_room_only(room in 0u8..8, at in 0usize..40, value in any::<u64>()) {
        let words = usize::from(room);
        let mut array = vec![0x5a5a_5a5a_i32; 4 + words + 1];
        (array[0], array[4 + words]) = (16 + 4 * i32::from(room), 0);
        let before = bytes(&array);
        // SAFETY: one whole entry and a zero.
        let mut entries = unsafe { Entries::new(array.as_mut_ptr().cast()) }.unwrap();
        let mut entry = entries.next_entry().unwrap().unwrap();
        let fits = at + 8 <= (4 * words).min(MAX_MEM);
        prop_assert_eq!(entry.read::<8>(at).is_some(), fits);
        prop_assert_eq!(entry.write(at, value), fits);
        let mut expected = before;
        if fits {
            expected[16 + at..24 + at].copy_from_slice(&value.to_ne_bytes());
        }
        prop_assert_eq!(bytes(&array), expected);
    }

    #[test]
    fn an_array_beside_a_multiple_of_four_is_refused_untouched(array in array(), beyond in 1usize..4) {
        let mut given = bytes(&array);
        given.splice(0..0, [0x77; 8]);
        let start = given.as_mut_ptr();
        let place = start.wrapping_add(8 - start.addr() % 4).wrapping_add(beyond).wrapping_sub(4);
        let before = given.clone();
        // SAFETY: within the allocation, and refused before anything is touched.
        prop_assert_eq!(unsafe { __omp_collector_api(place.cast()) }, -1);
        prop_assert_eq!(given, before);
    }
}
