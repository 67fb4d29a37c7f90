//! OPARI's description of a construct (CTC string): a string of fields, `LENGTH*name=value*name=value**`. A C string ends with
//! a zero byte, a Fortran string only with its two asterisks.

use ompt_core::detail::Work;

/// Constructs, by the word that follows `regionType`.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Construct {
    /// A construct that is not in this list.
    Other,
    /// `parallel`
    Parallel,
    /// `parallelfor`, `paralleldo`
    ParallelLoop,
    /// `parallelsections`
    ParallelSections,
    /// `parallelworkshare`
    ParallelWorkshare,
    /// `for`, `do`
    Loop,
    /// `sections`
    Sections,
    /// `single`
    Single,
    /// `workshare`
    Workshare,
    /// `master`
    Master,
    /// `critical`
    Critical,
    /// `atomic`
    Atomic,
    /// `ordered`
    Ordered,
    /// `barrier`
    Barrier,
    /// `flush`
    Flush,
    /// `task`
    Task,
    /// `taskwait`
    Taskwait,
    /// `userRegion`: not a construct, but a part of the program that its author has marked
    User,
}

/// Values of `regionType`, and their constructs.
const CONSTRUCTS: [(&[u8], Construct); 21] = [
    (b"parallel", Construct::Parallel),
    (b"parallelfor", Construct::ParallelLoop),
    (b"paralleldo", Construct::ParallelLoop),
    (b"parallelsections", Construct::ParallelSections),
    (b"parallelworkshare", Construct::ParallelWorkshare),
    (b"for", Construct::Loop),
    (b"do", Construct::Loop),
    (b"sections", Construct::Sections),
    (b"single", Construct::Single),
    (b"workshare", Construct::Workshare),
    (b"master", Construct::Master),
    (b"critical", Construct::Critical),
    (b"atomic", Construct::Atomic),
    (b"ordered", Construct::Ordered),
    (b"barrier", Construct::Barrier),
    (b"flush", Construct::Flush),
    (b"task", Construct::Task),
    (b"taskuntied", Construct::Task),
    (b"taskwait", Construct::Taskwait),
    (b"userRegion", Construct::User),
    (b"region", Construct::User),
];

impl Construct {
    /// The construct of this number; [`Other`](Self::Other) for an unknown number.
    pub(super) fn from_number(number: u32) -> Self {
        CONSTRUCTS.iter().map(|(_, it)| *it).find(|it| *it as u32 == number).unwrap_or(Self::Other)
    }

    /// True if a team is formed for the construct.
    pub(super) fn is_parallel(self) -> bool {
        matches!(self, Self::Parallel | Self::ParallelLoop | Self::ParallelSections | Self::ParallelWorkshare)
    }
}

/// Source lines of the beginning and end of a directive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lines {
    /// The first one.
    pub(super) first: u32,
    /// The last one.
    pub(super) last: u32,
}

/// A parsed CTC string. Missing fields are empty, or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ctc<'a> {
    /// The construct.
    pub(super) construct: Construct,
    /// The source file.
    pub(super) file: &'a [u8],
    /// Lines of the directive that begins the construct.
    pub(super) begin: Lines,
    /// Lines of the directive that ends the construct.
    pub(super) end: Lines,
    /// The name of a critical construct or user region.
    pub(super) name: &'a [u8],
    /// Number of sections.
    pub(super) sections: u32,
    /// The kind of a loop's `schedule` clause.
    pub(super) schedule: &'a [u8],
    /// True if a loop has an `ordered` clause.
    pub(super) ordered: bool,
}

/// The text of a string: the bytes up to its two asterisks or zero byte, at most all.
pub(super) fn text(bytes: &[u8]) -> &[u8] {
    let ends = |at: &usize| bytes.get(*at..).is_some_and(|rest| rest.starts_with(b"**") || rest.starts_with(&[0]));
    bytes.get(..(0..bytes.len()).find(ends).unwrap_or(bytes.len())).unwrap_or(bytes)
}

/// Parses a string. Unknown and malformed fields are skipped.
pub(super) fn parse(text: &[u8]) -> Ctc<'_> {
    let nothing = Lines::default();
    let mut ctc = Ctc {
        construct: Construct::Other,
        file: b"",
        begin: nothing,
        end: nothing,
        name: b"",
        sections: 0,
        schedule: b"",
        ordered: false,
    };
    for field in text.split(|c| *c == b'*') {
        let Some(equals) = field.iter().position(|c| *c == b'=') else { continue };
        let (name, value) = (field.get(..equals).unwrap_or_default(), field.get(equals + 1..).unwrap_or_default());
        match name {
            b"regionType" => {
                let known = CONSTRUCTS.iter().find(|(word, _)| *word == value);
                ctc.construct = known.map_or(Construct::Other, |(_, construct)| *construct);
            }
            b"sscl" => (ctc.file, ctc.begin) = place(value),
            b"escl" => (_, ctc.end) = place(value),
            b"criticalName" | b"userRegionName" | b"userGroupName" => ctc.name = value,
            b"numSections" => ctc.sections = number(value),
            b"hasSchedule" => ctc.schedule = kind(value),
            b"hasOrdered" => ctc.ordered = value == b"1",
            _ => {}
        }
    }
    ctc
}

/// The value of `regionType`.
#[cfg(not(feature = "linked"))]
pub(super) fn construct(text: &[u8]) -> &[u8] {
    let mut fields = text.split(|c| *c == b'*');
    fields.find_map(|field| field.strip_prefix(b"regionType=")).unwrap_or_default()
}

impl Ctc<'_> {
    /// True if gcc divides the loop without its runtime.
    pub(super) fn is_inlined_loop(&self) -> bool {
        let inlined: [&[u8]; 3] = [b"", b"static", b"auto"];
        !self.ordered && inlined.contains(&self.schedule)
    }

    /// Kind of the loop with the schedule of its clause. In gcc's code, loops without a clause are static, and so are those with `auto`.
    pub(super) fn work(&self) -> Work {
        match self.schedule {
            b"" | b"static" | b"auto" => Work::LoopStatic,
            b"dynamic" => Work::LoopDynamic,
            b"guided" => Work::LoopGuided,
            _ => Work::Loop,
        }
    }
}

/// The kind in a schedule `MODIFIER:KIND,CHUNK`.
fn kind(schedule: &[u8]) -> &[u8] {
    let kind = schedule.split(|c| *c == b',').next().unwrap_or_default();
    kind.rsplit(|c| *c == b':').next().unwrap_or_default()
}

/// Parses `FILE:FIRST:LAST`; the file's name may contain colons.
fn place(value: &[u8]) -> (&[u8], Lines) {
    let mut parts = value.rsplitn(3, |c| *c == b':');
    let (last, first, file) = (parts.next(), parts.next(), parts.next());
    let lines = Lines { first: first.map_or(0, number), last: last.map_or(0, number) };
    (file.unwrap_or_default(), lines)
}

fn number(digits: &[u8]) -> u32 {
    std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// The bytes of a string up to and including its end: two asterisks, or a zero byte.
pub(super) fn up_to_end(mut bytes: impl Iterator<Item = u8>) -> impl Iterator<Item = u8> {
    let mut last = Some(b' ');
    std::iter::from_fn(move || {
        let before = last?;
        let byte = bytes.next()?;
        last = (byte != 0 && [before, byte] != *b"**").then_some(byte);
        Some(byte)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_opari_says_is_taken_apart() {
        let loop_ = parse(text(b"110*regionType=for*sscl=a.c:13:14*escl=a.c:17:18*hasOrdered=1*hasSchedule=dynamic**"));
        assert_eq!((loop_.construct, loop_.file), (Construct::Loop, &b"a.c"[..]));
        assert_eq!((loop_.begin, loop_.end), (Lines { first: 13, last: 14 }, Lines { first: 17, last: 18 }));
        assert_eq!((loop_.ordered, loop_.schedule, loop_.is_inlined_loop()), (true, &b"dynamic"[..], false));
        assert_eq!(loop_.work(), Work::LoopDynamic);
        let critical = parse(b"99*regionType=critical*sscl=/x/a.c:25:25*escl=/x/a.c:26:26*criticalName=foo");
        assert_eq!((critical.construct, critical.name), (Construct::Critical, &b"foo"[..]));
        assert_eq!(parse(b"96*regionType=sections*numSections=2").sections, 2);
    }

    #[test]
    fn loops_that_gcc_inlines_are_known() {
        for (clauses, inlined) in [
            (&b""[..], true),
            (b"*hasSchedule=static*hasNowait=1", true),
            (b"*hasSchedule=static,3", true),
            (b"*hasSchedule=monotonic:static,3", true),
            (b"*hasSchedule=nonmonotonic:dynamic,2", false),
            (b"*hasSchedule=auto", true),
            (b"*hasSchedule=static*hasOrdered=1", false),
            (b"*hasSchedule=dynamic", false),
            (b"*hasSchedule=guided", false),
            (b"*hasSchedule=runtime", false),
        ] {
            assert_eq!(parse(&[b"1*regionType=do", clauses].concat()).is_inlined_loop(), inlined);
        }
    }

    #[test]
    fn a_string_ends_at_its_asterisks_or_at_a_zero() {
        assert_eq!(text(b"12*a=b**junk"), b"12*a=b");
        assert_eq!(text(b"12*a=b\0junk**"), b"12*a=b");
        assert_eq!(text(b"12*a=b\0"), b"12*a=b", "behind which nothing is");
        assert_eq!(text(b"12*a=b"), b"12*a=b");
        assert_eq!(text(b""), b"");
    }

    #[test]
    fn colons_may_be_in_a_files_name() {
        let it = parse(b"1*sscl=c:/a:b.c:7:9");
        assert_eq!((it.file, it.begin), (&b"c:/a:b.c"[..], Lines { first: 7, last: 9 }));
    }

    #[test]
    fn nonsense_says_nothing() {
        for bad in [
            &b""[..],
            b"*",
            b"***",
            b"=*=",
            b"regionType",
            b"1*regionType=*sscl=*escl=:*numSections=-1",
            b"\xff*\xff=\xff",
        ] {
            let it = parse(bad);
            assert_eq!((it.construct, it.begin, it.sections), (Construct::Other, Lines::default(), 0), "{bad:?}");
        }
    }

    #[test]
    fn every_construct_is_found_by_its_number() {
        for (_, construct) in CONSTRUCTS {
            assert_eq!(Construct::from_number(construct as u32), construct);
        }
        assert_eq!(Construct::from_number(99), Construct::Other);
    }
}
