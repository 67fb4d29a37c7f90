use super::*;

fn objects() -> Vec<(Vec<u8>, Vec<Site>)> {
    let site = |address, kind| Site { address, kind };
    vec![
        (vec![7; 20], vec![site(0x40_0010, Kind::LoopEnd), site(0x1234, Kind::Loop), site(0x2000, Kind::Distribute)]),
        (vec![9; 32], vec![]),
        (vec![1], vec![site(0x1234, Kind::SingleEnd)]),
    ]
}

#[test]
fn what_is_written_is_found_by_its_address() {
    let bytes = table(&objects());
    let read: Vec<_> = Table::of(&bytes).unwrap().objects().collect();
    assert_eq!(
        read.iter().map(|object| object.build_id.to_vec()).collect::<Vec<_>>(),
        [vec![7; 20], vec![9; 32], vec![1]]
    );
    let kinds = [0x1233, 0x1234, 0x1235, 0x2000, 0x40_0010, u64::MAX].map(|address| read[0].sites.kind(address));
    assert_eq!(kinds, [None, Some(Kind::Loop), None, Some(Kind::Distribute), Some(Kind::LoopEnd), None]);
    assert_eq!((read[1].sites.count(), read[1].sites.kind(0x1234)), (0, None));
    assert_eq!(read[2].sites.iter().collect::<Vec<_>>(), objects()[2].1);
}

#[test]
fn a_damaged_table_is_refused_or_harmless() {
    let whole = table(&objects());
    for length in 0..whole.len() {
        assert_eq!(Table::of(&whole[..length]).err(), Some(Damaged), "{length} bytes");
    }
    for (at, bit) in (0..whole.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << bit;
        let Ok(damaged) = Table::of(&bytes) else { continue };
        damaged.objects().for_each(|object| _ = object.sites.kind(0x1234));
    }
    let sites = whole.len() - 4 * SITE;
    let mut unsorted = whole;
    unsorted[sites..sites + 2 * SITE].rotate_left(SITE);
    assert_eq!(Table::of(&unsorted).err(), Some(Damaged));
}

#[test]
fn a_build_id_that_has_no_room_is_left_out() {
    let bytes = table(&[(vec![1; 33], vec![]), (vec![], vec![]), (vec![2; 8], vec![])]);
    let ids: Vec<_> = Table::of(&bytes).unwrap().objects().map(|object| object.build_id.to_vec()).collect();
    assert_eq!(ids, [vec![2; 8]]);
}
