//! Instructions as GNU's assembler encodes them (`-march=armv8.5-a`).

use attach_outside::process::Process;

use super::*;

fn memory() -> Memory {
    Memory(Process { pid: std::process::id() })
}

fn words(code: &[u32]) -> Vec<Word> {
    let read = |(bits, address): (&u32, u64)| Word::read(&bits.to_le_bytes(), address).unwrap();
    code.iter().zip((0x1000..).step_by(4)).map(read).collect()
}

fn run(code: &[u32], mut registers: Registers) -> Registers {
    words(code).into_iter().for_each(|word| word.step(&mut registers, memory()));
    registers
}

#[test]
fn arithmetic_is_followed() {
    let code = [
        0xd282_4680, // mov x0, #0x1234
        0xf2aa_cf00, // movk x0, #0x5678, lsl #16
        0x1200_1c01, // and w1, w0, #0xff
        0xb201_f3e2, // mov x2, #0xaaaaaaaaaaaaaaaa
        0xd37c_ec03, // lsl x3, x0, #4
        0x1280_0005, // mov w5, #0xffffffff
        0x9340_7ca4, // sxtw x4, w5
        0xd348_3c06, // ubfx x6, x0, #8, #8
        0x9341_fc87, // asr x7, x4, #1
        0x7100_00bf, // cmp w5, #0x0
        0x1a9f_a7e8, // cset w8, lt
        0x9a82_8009, // csel x9, x0, x2, hi
        0x8b25_c80a, // add x10, x0, w5, sxtw #2
        0xf27e_001f, // tst x0, #0x4
        0x1a9f_17eb, // cset w11, eq
        0xcb00_03ec, // neg x12, x0
        0x9b01_7c0d, // mul x13, x0, x1
        0x927c_ec0e, // and x14, x0, #0xfffffffffffffff0
        0xca02_044f, // eor x15, x2, x2, lsl #1
        0x2a20_03f0, // mvn w16, w0
        0xd37c_1c11, // ubfiz x17, x0, #4, #8
    ];
    let found = run(&code, Registers::default());
    let x0 = 0x5678_1234_u64;
    let wanted = [
        x0,
        0x34,
        0xaaaa_aaaa_aaaa_aaaa,
        x0 << 4,
        u64::MAX,
        0xffff_ffff,
        0x12,
        u64::MAX,
        1,
        x0,
        x0 - 4,
        0,
        x0.wrapping_neg(),
        x0 * 0x34,
        x0 & !15,
        u64::MAX - 1,
        !x0 & 0xffff_ffff,
        0x340,
    ];
    for (register, value) in (0..).zip(wanted) {
        assert_eq!(found.get(register), Some(value), "x{register}");
    }
}

#[test]
fn memory_is_followed() {
    let code = [
        0xa9be_07e0, // stp x0, x1, [sp, #-32]!
        0xb900_17e0, // str w0, [sp, #20]
        0xa940_0fe2, // ldp x2, x3, [sp]
        0xb940_17e4, // ldr w4, [sp, #20]
        0xb980_17e5, // ldrsw x5, [sp, #20]
        0x5280_0066, // mov w6, #0x3
        0x9100_03e7, // mov x7, sp
        0xf826_58e2, // str x2, [x7, w6, uxtw #3]
        0xf940_0fe8, // ldr x8, [sp, #24]
        0x889f_fce1, // stlr w1, [x7]
        0x88df_fce9, // ldar w9, [x7]
        0xb8e6_00e9, // ldaddal w6, w9, [x7]
        0xb940_00ea, // ldr w10, [x7]
    ];
    let stack = std::hint::black_box(Box::new([9_u64; 8]));
    let end = (&raw const stack[6]).addr() as u64;
    let mut registers = Registers::default();
    for (register, value) in [(0, 0xf000_0000), (1, 7), (SP, end)] {
        registers.set(register, Some(value));
    }
    let found = run(&code, registers);
    let (x0, x5) = (Some(0xf000_0000), Some(0xffff_ffff_f000_0000));
    assert_eq!([2, 3, 4, 5, 8].map(|register| found.get(register)), [x0, Some(7), x0, x5, x0]);
    // The value that an atomic operation has stored isn't known.
    assert_eq!([SP, 9, 10].map(|register| found.get(register)), [Some(end - 32), None, None]);
    let code = [
        0xa8c2_0fe2, // ldp x2, x3, [sp], #32
        0x9100_03ec, // mov x12, sp
        0xf85f_818d, // ldur x13, [x12, #-8]
        0xfc1f_8180, // stur d0, [x12, #-8]
        0xf85f_818e, // ldur x14, [x12, #-8]
        0xf940_018f, // ldr x15, [x12]
    ];
    let found = run(&code, found);
    let wanted = [Some(end), None, Some(7), x0, None, Some(9)];
    assert_eq!([SP, 2, 3, 13, 14, 15].map(|register| found.get(register)), wanted);
}

#[test]
fn branches_lead_to_their_places() {
    let code = [
        0x5400_000b, // 1000: b.lt 1000
        0x34ff_ffe0, // cbz w0, 1000
        0xb70f_ffc0, // tbnz x0, #33, 1000
        0x97ff_fffd, // bl 1000
        0x17ff_fffc, // b 1000
        0xd63f_0060, // blr x3
        0xd61f_0200, // br x16
        0xd65f_03c0, // ret
        0xd65f_0bff, // retaa
        0xd420_0020, // brk #0x1
        0xd503_201f, // nop
        0xd400_0001, // svc #0x0
    ];
    let (place, branch) = (Destination::Code(0x1000), Flow::Branch(0x1000));
    let wanted = [
        branch,
        branch,
        branch,
        Flow::Call(place),
        Flow::Jump(place),
        Flow::Call(Destination::Register),
        Flow::Jump(Destination::Register),
        Flow::Return,
        Flow::Return,
        Flow::Stop,
        Flow::Next,
        Flow::Next,
    ];
    let words = words(&code);
    assert_eq!(words.iter().map(|word| word.flow()).collect::<Vec<_>>(), wanted);
    let mut registers = Registers::default();
    assert_eq!(words[1].holds(&registers), None);
    registers.set(0, Some(2 << 32));
    registers.set(3, Some(0x2000));
    assert_eq!((words[1].holds(&registers), words[2].holds(&registers)), (Some(true), Some(true)));
    assert_eq!((words[5].destination(&registers), words[6].destination(&registers)), (Some(0x2000), None));
    assert!(Word::read(&[0; 4], 0).is_none());
}

/// `omp_get_num_threads` and `GOMP_barrier` of gcc 16's libgomp, where a page is loaded instead of a word's address.
#[test]
fn the_record_of_a_thread_is_found() {
    let distance = std::hint::black_box(Box::new(16_u64));
    let word = (&raw const *distance).addr() as u64;
    let mut registers = Registers::default();
    registers.set(1, Some(word));
    let code = [
        0xf940_0021, // ldr x1, [x1]
        0xd53b_d040, // mrs x0, tpidr_el0
        0x8b01_0000, // add x0, x0, x1
        0xf940_0801, // ldr x1, [x0, #16]
        0x9102_0000, // add x0, x0, #0x80
    ];
    let words = words(&code);
    let registers = run(&code[..3], registers);
    assert_eq!(words[3].thread_local(&registers), Some((16, 16)));
    assert_eq!(words[0].thread_local(&registers), None);
    assert_eq!((words[4].added(), words[2].added()), (Some(128), None));
}

/// The loop of `omp_set_lock` of gcc 16's libgomp.
#[test]
fn the_word_that_a_loop_tests_is_found() {
    let mut registers = Registers::default();
    registers.set(19, Some(0x2000));
    registers.set(SP, Some(0x3000));
    let code = [
        0xb940_0261, // ldr w1, [x19]
        0xb940_0661, // ldr w1, [x19, #4]
        0x88df_fe61, // ldar w1, [x19]
        0xf940_0261, // ldr x1, [x19]
        0xb940_0281, // ldr w1, [x20]
        0xb940_0be1, // ldr w1, [sp, #8]
        0xb900_0261, // str w1, [x19]
        0x9100_0400, // add x0, x0, #0x1
    ];
    let tested = words(&code).into_iter().map(|word| word.tested(&registers));
    let wanted = [Some(0x2000), Some(0x2004), Some(0x2000), None, None, None, None, None];
    assert_eq!(tested.collect::<Vec<_>>(), wanted);
}
