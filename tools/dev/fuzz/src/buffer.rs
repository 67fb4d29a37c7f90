//! Generation of request arrays: well-formed ones, nearly well-formed ones, and arbitrary bytes.

use crate::arena::Arena;
use crate::callbacks::{CALLBACKS, callbacks};
use crate::model::{Model, with};
use crate::reader::Reader;

/// Valid sizes of an entry; common sizes appear more than once.
const SIZES: [i32; 20] = [16, 20, 24, 28, 32, 28, 32, 16, 20, 24, 28, 32, 36, 40, 44, 48, 64, 128, 256, 272];
/// Invalid sizes of an entry.
const BAD_SIZES: [i32; 24] =
    [1, 2, 3, 4, 8, 12, 13, 14, 15, 17, 18, 19, 21, 22, 30, 31, 33, -1, -4, -16, -32, 257, i32::MIN, i32::MAX];
/// Sizes of long entries.
const LONG_SIZES: [i32; 16] = [
    0x110,
    0x1010,
    0x4010,
    0x8000,
    0x801c,
    0xfffc,
    0x1_0000,
    0x1_0004,
    0x1_0010,
    0x1_001c,
    0x10_0010,
    0x100_001c,
    0x4000_0000,
    0x7fff_fff0,
    0x7fff_fff8,
    0x7fff_fffc,
];
const ODD_REQUESTS: [i32; 12] = [11, 12, -1, 127, 128, 255, 256, 259, 260, 65536 + 4, i32::MIN, i32::MAX];
const ODD_EVENTS: [i32; 14] = [0, -1, 36, 37, 64, 128, 255, 256, 257, 4095, 4096, 4097, i32::MIN, i32::MAX];

/// Generates a whole array, which may be malformed.
pub fn array(choices: &mut Reader) -> Vec<u8> {
    let mut array = Vec::with_capacity(256);
    let shape = choices.byte();
    for _ in 0..=shape % 5 {
        let size = match choices.byte() {
            bad @ 216..=247 => BAD_SIZES.get(usize::from(bad) % BAD_SIZES.len()).copied().unwrap_or(-1),
            248.. => choices.word(),
            good => SIZES.get(usize::from(good) % SIZES.len()).copied().unwrap_or(16),
        };
        let request = request(choices);
        let room = usize::try_from(size).unwrap_or(0).saturating_sub(16);
        array.extend(head(size, request, choices));
        array.extend(mem(request, room.min(512), choices));
    }
    array.extend(0i32.to_ne_bytes());
    closed(array)
}

/// Generates an array of arbitrary bytes.
pub fn raw(choices: &mut Reader) -> Vec<u8> {
    let count = usize::from(choices.byte());
    closed(choices.take(count).to_vec())
}

/// Generates a long entry and an entry after it, in pieces.
pub fn long(choices: &mut Reader) -> Vec<(usize, Vec<u8>)> {
    let size = match choices.byte() {
        any @ 240.. => choices.word() & 0x7fff_fffc | i32::from(any & 0xfc),
        known => LONG_SIZES.get(usize::from(known) % LONG_SIZES.len()).copied().unwrap_or(0x110),
    };
    let size = size.max(0x110);
    let first = request(choices);
    let mut begin = head(size, first, choices);
    begin.extend(mem(first, 64, choices));
    let second = request(choices);
    let words = choices.byte() % 5;
    let room = usize::from(words) * 4;
    let mut end = head(16 + 4 * i32::from(words), second, choices);
    end.extend(mem(second, room, choices));
    end.extend(0i32.to_ne_bytes());
    let mut pieces = vec![(0, begin), (size.unsigned_abs() as usize, end)];
    pieces.iter_mut().for_each(|(_, bytes)| defuse(bytes));
    pieces
}

/// Well-formed entry with `room` bytes of `mem`, a multiple of 4.
pub fn one(request: i32, room: u8) -> Vec<u8> {
    let mut array = Vec::with_capacity(64);
    array.extend((16 + i32::from(room)).to_ne_bytes());
    array.extend(request.to_ne_bytes());
    array.resize(16 + usize::from(room), 0x5a);
    array.extend(0i32.to_ne_bytes());
    array
}

/// REGISTER request in the packed layout.
pub fn register(event: u8, callback: u64) -> Vec<u8> {
    let mut array = one(1, 12);
    array.splice(16..20, i32::from(event).to_ne_bytes());
    array.splice(20..28, callback.to_ne_bytes());
    array
}

/// REGISTER request with callbacks at the places of both layouts.
pub fn register_either(event: u8) -> Vec<u8> {
    let [packed, padded] = callbacks().twins;
    let mut array = one(1, 16);
    array.splice(16..20, i32::from(event).to_ne_bytes());
    array.splice(20..28, packed.to_ne_bytes());
    array.splice(24..32, padded.to_ne_bytes());
    array
}

fn request(choices: &mut Reader) -> i32 {
    match choices.byte() {
        known @ 0..=219 => i32::from(known % 11),
        odd @ 220..=247 => ODD_REQUESTS.get(usize::from(odd) % ODD_REQUESTS.len()).copied().unwrap_or(11),
        _ => choices.word(),
    }
}

fn head(size: i32, request: i32, choices: &mut Reader) -> Vec<u8> {
    let rubbish = i32::from(choices.byte()).wrapping_mul(0x0101_0101);
    [size, request, rubbish, !rubbish].into_iter().flat_map(i32::to_ne_bytes).collect()
}

/// Generates `room` bytes of `mem` for a request.
fn mem(request: i32, room: usize, choices: &mut Reader) -> Vec<u8> {
    let mut mem = Vec::with_capacity(room.max(24));
    if matches!(request, 1 | 2) && room >= 4 {
        let event = match choices.byte() {
            odd @ 222.. => ODD_EVENTS.get(usize::from(odd) % ODD_EVENTS.len()).copied().unwrap_or(0),
            known => i32::from(known % 37),
        };
        mem.extend(event.to_ne_bytes());
        mem.extend(if request == 1 { pointers(choices) } else { [0x77; 12] });
    }
    let fill = if mem.is_empty() { choices.byte() } else { 0x33 };
    mem.resize(room, fill);
    mem
}

/// Twelve bytes: a packed or padded pointer, or data that could be mistaken for one.
fn pointers(choices: &mut Reader) -> [u8; 12] {
    static DATA: u64 = 7;
    let all = callbacks();
    let choice = choices.byte();
    let callback = all.plain.get(usize::from(choice) % CALLBACKS).copied().unwrap_or(0);
    let data = (&raw const DATA).addr() as u64;
    let [first, second] = all.twins;
    let (low, at_4, at_8): (u32, Option<u64>, Option<u64>) = match choice / 4 % 18 {
        0 | 1 => (0, Some(callback), None),
        2 | 3 => (0, None, Some(callback)),
        4 => (0xdead_beef, None, Some(callback)),
        5 | 6 | 14 | 15 => (0, Some(first), Some(second)),
        7 => (0, None, None),
        8 => (0, Some(data), None),
        9 => (0, None, Some(data)),
        10 => (1, None, None),
        11 => (0, Some(first), None),
        12 => (0, None, Some(second)),
        13 => (0, None, Some(1 << 63)),
        _ => (0, Some(u64::from(choice)), None),
    };
    let mut bytes = [0; 12];
    let [b0, b1, b2, b3, ..] = &mut bytes;
    [*b0, *b1, *b2, *b3] = low.to_ne_bytes();
    if let Some((place, at_4)) = bytes.first_chunk_mut::<8>().zip(at_4) {
        *place = at_4.to_ne_bytes();
    }
    if let Some((place, at_8)) = bytes.last_chunk_mut::<8>().zip(at_8) {
        *place = at_8.to_ne_bytes();
    }
    bytes
}

/// Makes an array satisfy the caller's contract: the walk finds complete entries, and ends at a zero or at an invalid size. The rest is cut
/// off, so that the array ends where the walk ends.
fn closed(mut array: Vec<u8>) -> Vec<u8> {
    let mut at = 0;
    while let Some(word) = array.get(at..).and_then(|rest| rest.first_chunk::<4>()) {
        let sz = i32::from_ne_bytes(*word);
        let end = at + usize::try_from(sz).unwrap_or(0);
        if sz < 16 || sz % 4 != 0 {
            array.truncate(at + 4);
            defuse(&mut array);
            return array;
        }
        if end > Arena::LONGEST / 2 {
            break;
        }
        if end > array.len() {
            array.resize(end, 0x5a);
        }
        at = end;
    }
    array.truncate(at);
    array.extend(0i32.to_ne_bytes());
    defuse(&mut array);
    array
}

/// Replaces addresses in REGISTER entries. Code that is not a callback would be called, so its address becomes 0. An address that the
/// library would have to look up in the list of mappings becomes an impossible one, unless the file [may](Model::may_cost) contain it.
fn defuse(array: &mut [u8]) {
    let all = callbacks();
    let mut at = 0;
    while let Some(word) = array.get(at..).and_then(|rest| rest.first_chunk::<4>()) {
        let size = usize::try_from(i32::from_ne_bytes(*word)).unwrap_or(0);
        if size < 16 {
            break;
        }
        if size >= 28 && array.get(at + 4..at + 8) == Some(&1i32.to_ne_bytes()) {
            let end = array.len().min(at + size);
            if let Some(mem) = array.get_mut(at + 16..end) {
                far_away(mem);
            }
        }
        at += size;
    }
    for at in (0..array.len()).step_by(4) {
        if let Some(place) = array.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<8>())
            && all.is_foreign(u64::from_ne_bytes(*place))
        {
            *place = [0; 8];
        }
    }
}

/// Replaces a REGISTER's callback at both places by an impossible address.
fn far_away(mem: &mut [u8]) {
    let all = callbacks();
    for at in [4, 8] {
        let Some(place) = mem.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<8>()) else { return };
        let address = u64::from_ne_bytes(*place);
        let is_looked_up = (1..1 << 56).contains(&address) && !all.plain.contains(&address);
        if is_looked_up && !with(Model::may_cost) {
            let [.., last] = place;
            *last = 0x5a;
        }
    }
}
