//! The call site of an entry: where it returns to, and its canonical frame address.

/// Assembly text that stores the return address and the canonical frame address of the call that has just been made, in two
/// of the [thread words](crate::thread_words): `$offset` is the first one's, in bytes. For the beginning of a naked function.
/// Changes r10 and r11 only, which no call passes anything in (psABI, "Register Usage").
#[macro_export]
macro_rules! store_call_site {
    ($symbol:literal, $offset:literal) => {
        concat!(
            "mov r11, qword ptr [rip + ",
            $symbol,
            "@GOTTPOFF]\n",
            "mov r10, qword ptr [rsp]\n",
            "mov qword ptr fs:[r11 + ",
            $offset,
            "], r10\n",
            "lea r10, [rsp + 8]\n",
            "mov qword ptr fs:[r11 + ",
            $offset,
            " + 8], r10\n",
        )
    };
}
