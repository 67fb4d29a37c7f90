//! Random arrays of five to eight requests.

use super::random::Random;

/// Request codes: queries are the most frequent, followed by those that change registrations and the session.
const REQUESTS: [i32; 32] =
    [3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 5, 5, 5, 5, 9, 9, 9, 9, 10, 10, 10, 10, 1, 1, 1, 2, 2, 7, 8, 8, 0, -1];
const ODD_REQUESTS: [i32; 10] = [11, 12, -1, 127, 128, 255, 256, 260, i32::MIN, i32::MAX];
const ODD_EVENTS: [i32; 8] = [0, -1, 36, 256, 4096, 4097, i32::MIN, i32::MAX];
const BAD_SIZES: [i32; 14] = [1, 2, 3, 4, 8, 12, 15, 17, 18, 30, -1, -4, -16, i32::MIN];
/// Sizes of `mem`: too small, exact, and larger than the requests need.
const REPLY_SIZES: [u32; 12] = [0, 4, 8, 8, 8, 12, 12, 16, 16, 16, 20, 40];
/// Address at which there is never code, not even when shifted by half, so that it isn't looked up in the list of mappings.
const NOWHERE: u64 = 0x5a00_0000_5a00_0000;

/// Limits for the generated requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    /// Allows STOP.
    pub(crate) stops: bool,
    /// Address of the callback for REGISTER.
    pub(crate) callback: u64,
}

/// Fills an array with random requests.
pub(crate) fn fill(array: &mut Vec<u8>, random: &mut Random, choice: Choice) {
    array.clear();
    let chance = random.next();
    // A registration takes a hundred times as long as a query, because the library examines everything that is loaded.
    let registers = (chance >> 32).is_multiple_of(8);
    for _ in 0..5 + (chance & 3) {
        entry(array, random, choice, registers);
    }
    // One array in 64 ends at an invalid entry.
    let last = if chance >> 58 == 0 { random.choose(&BAD_SIZES) } else { 0 };
    array.extend(last.to_ne_bytes());
}

#[expect(clippy::cast_possible_truncation, reason = "bits are taken out of a word")]
fn entry(array: &mut Vec<u8>, random: &mut Random, choice: Choice, registers: bool) {
    let chance = random.next();
    let request = match REQUESTS.get(chance as usize & 31) {
        Some(-1) if choice.stops && chance & 0x300 == 0 => 6,
        Some(-1) | None => random.choose(&ODD_REQUESTS),
        Some(1 | 2) if !registers => 4,
        Some(request) => *request,
    };
    let mut room = random.choose(&REPLY_SIZES);
    if request == 1 && chance & 0xc00 != 0 {
        room = if chance & 0x1000 == 0 { 12 } else { 16 };
    }
    let rubbish = (chance >> 32) as u32;
    array.extend([16 + room, request.cast_unsigned(), rubbish, !rubbish].into_iter().flat_map(u32::to_ne_bytes));
    let begin = array.len();
    if matches!(request, 1 | 2) {
        let event = if chance & 0xe000 == 0 { random.choose(&ODD_EVENTS) } else { (chance >> 16) as i32 & 31 | 1 };
        array.extend(event.to_ne_bytes());
        let [first, second] = match chance >> 24 & 7 {
            0 | 1 => [0, 0],
            2 | 3 => [NOWHERE, NOWHERE],
            4 if room >= 16 => [choice.callback << 32, choice.callback >> 32],
            _ => [choice.callback, NOWHERE],
        };
        array.extend(first.to_ne_bytes());
        array.extend(second.to_ne_bytes());
    }
    array.resize(begin + room as usize, rubbish as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_have_five_to_eight_entries_one_behind_the_other_and_an_end() {
        let (mut random, mut array) = (Random::new(7), Vec::new());
        let mut stops = 0;
        for _ in 0..10_000 {
            fill(&mut array, &mut random, Choice { stops: true, callback: 0x5555_1234_5678 });
            let word = |at: usize| i32::from_ne_bytes(*array[at..].first_chunk().unwrap());
            let (mut at, mut entries) = (0, 0);
            while at + 4 < array.len() {
                let size = usize::try_from(word(at)).unwrap();
                assert!(size >= 16 && size.is_multiple_of(4), "{array:?}");
                stops += i32::from(word(at + 4) == 6);
                (at, entries) = (at + size, entries + 1);
            }
            assert!((5..=8).contains(&entries) && at + 4 == array.len(), "{array:?}");
            assert!(word(at) == 0 || BAD_SIZES.contains(&word(at)));
        }
        assert!(stops > 100);
    }
}
