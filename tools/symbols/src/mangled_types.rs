//! Rewriting of mangled names for the demangler, which lacks two parts of the grammar (Itanium C++ ABI, 5.1.6):
//!
//! - a member of a type in an expression, `sr St11is_integralIT_E 5value`, where the type is not a template parameter: it becomes
//!   the member of an object of the type, `dt tl St11is_integralIT_EE 5value`;
//! - declarations of template parameters before their arguments, `Tn i Li0E`, as clang writes them: the type becomes an argument.
//!
//! The types stay where they are, so that the numbers of substitutions stay right.

/// Deepest nesting that is followed.
const DEEPEST: usize = 128;
/// Operators with one operand, with two, and with a type.
const UNARY: [&str; 14] = ["ps", "ng", "ad", "de", "co", "nt", "sz", "sZ", "az", "te", "nx", "sp", "tw", "aw"];
const BINARY: [&str; 35] = [
    "pl", "mi", "ml", "dv", "rm", "an", "or", "eo", "aS", "pL", "mI", "mL", "dV", "rM", "aN", "oR", "eO", "ls", "rs",
    "lS", "rS", "eq", "ne", "lt", "gt", "le", "ge", "ss", "aa", "oo", "cm", "ix", "ds", "dt", "pt",
];

/// The name in the demangler's grammar; `None` if it is not understood, or there is nothing to rewrite.
pub(super) fn rewritten(symbol: &str) -> Option<String> {
    let mut reader = Reader { symbol, at: symbol.strip_prefix("_Z").map(|_| 2)?, depth: 0, edits: Vec::new() };
    reader.encoding()?;
    if reader.edits.is_empty() {
        return None;
    }
    reader.edits.sort_by_key(|edit| edit.at);
    let (mut text, mut copied) = (String::with_capacity(symbol.len() + 3 * reader.edits.len()), 0);
    for Edit { at, removed, added } in reader.edits {
        text += symbol.get(copied..at)?;
        text += added;
        copied = at + removed;
    }
    Some(text + symbol.get(copied..)?)
}

/// The demangled text with members of types in place of members of objects: `(T{}).value` becomes `T::value`.
pub(super) fn with_members_of_types(mut name: String) -> String {
    const MEMBER: &str = "{}).";
    while let Some(end) = name.find(MEMBER) {
        let mut open = 1_usize;
        let start = name.get(..end).unwrap_or_default().char_indices().rev().find(|(_, letter)| {
            open = open.saturating_add(usize::from(*letter == ')')).saturating_sub(usize::from(*letter == '('));
            open == 0
        });
        let Some((start, _)) = start else { break };
        name.replace_range(end..end + MEMBER.len(), "::");
        name.remove(start);
    }
    name
}

struct Edit {
    at: usize,
    removed: usize,
    added: &'static str,
}

/// Reader of a mangled name that notes what is to be rewritten. Each method reads one part of the grammar.
struct Reader<'a> {
    symbol: &'a str,
    at: usize,
    depth: usize,
    edits: Vec<Edit>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.symbol.get(self.at..).unwrap_or_default()
    }

    fn next(&self) -> u8 {
        self.rest().bytes().next().unwrap_or(0)
    }

    fn take(&mut self, text: &str) -> bool {
        let is_there = self.rest().starts_with(text);
        self.at += if is_there { text.len() } else { 0 };
        is_there
    }

    fn expect(&mut self, text: &str) -> Option<()> {
        self.take(text).then_some(())
    }

    /// Digits, perhaps negative.
    fn number(&mut self) -> Option<usize> {
        self.take("n");
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest().get(..digits)?.parse().ok();
        self.at += digits;
        number
    }

    /// Skips up to an underscore: the number of a substitution or a parameter.
    fn sequence(&mut self) -> Option<()> {
        let length = self.rest().bytes().take_while(u8::is_ascii_alphanumeric).count();
        self.at += length;
        self.expect("_")
    }

    fn until_end(&mut self, mut part: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        while !self.take("E") {
            part(self)?;
        }
        Some(())
    }

    fn within(&mut self, part: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        self.depth += 1;
        let read = if self.depth < DEEPEST { part(self) } else { None };
        self.depth -= 1;
        read
    }

    fn encoding(&mut self) -> Option<()> {
        if self.take("T") {
            self.at += 1;
            return self.ty();
        }
        self.name()?;
        while !self.rest().is_empty() && !matches!(self.next(), b'E' | b'.') {
            self.ty()?;
        }
        Some(())
    }

    fn source_name(&mut self) -> Option<()> {
        let length = self.number()?;
        self.rest().get(..length)?;
        self.at += length;
        while self.take("B") {
            self.source_name()?;
        }
        Some(())
    }

    fn name(&mut self) -> Option<()> {
        match self.next() {
            b'N' | b'Z' => self.within(Self::ty),
            _ => {
                self.component()?;
                self.arguments()
            }
        }
    }

    /// Template arguments, if there are any.
    fn arguments(&mut self) -> Option<()> {
        if self.take("I") { self.until_end(Self::argument) } else { Some(()) }
    }

    fn argument(&mut self) -> Option<()> {
        if self.rest().starts_with("Tn") || self.rest().starts_with("Ty") {
            self.edits.push(Edit { at: self.at, removed: 2, added: "" });
            self.at += 2;
        }
        match self.next() {
            b'X' => {
                self.at += 1;
                self.expression()?;
                self.expect("E")
            }
            b'L' => self.expression(),
            b'J' => {
                self.at += 1;
                self.within(|own| own.until_end(Self::argument))
            }
            _ => self.ty(),
        }
    }

    /// A part of a nested name.
    fn component(&mut self) -> Option<()> {
        self.take("L");
        match self.next() {
            b'0'..=b'9' => self.source_name(),
            b'S' => {
                self.at += 1;
                if self.take("t") { self.component() } else { self.substitution() }
            }
            b'T' => self.parameter(),
            b'I' => self.arguments(),
            b'C' | b'D' if matches!(self.rest().as_bytes().get(1), Some(b'0'..=b'9')) => self.skip(2),
            b'D' => self.ty(),
            b'K' | b'V' | b'r' | b'R' | b'O' | b'M' => self.skip(1),
            b'U' if self.take("Ul") => {
                self.until_end(Self::ty)?;
                self.sequence()
            }
            b'U' if self.take("Ut") => self.sequence(),
            b'c' if self.take("cv") => self.ty(),
            b'l' if self.take("li") => self.source_name(),
            b'a'..=b'z' => self.skip(2),
            _ => None,
        }
    }

    fn skip(&mut self, bytes: usize) -> Option<()> {
        self.rest().get(..bytes)?;
        self.at += bytes;
        Some(())
    }

    /// Parses the part of a substitution after its `S`.
    fn substitution(&mut self) -> Option<()> {
        if self.next().is_ascii_lowercase() { self.skip(1) } else { self.sequence() }
    }

    fn parameter(&mut self) -> Option<()> {
        self.expect("T")?;
        self.sequence()
    }

    fn ty(&mut self) -> Option<()> {
        self.within(|own| match own.next() {
            b'P' | b'R' | b'O' | b'K' | b'V' | b'r' | b'C' | b'G' => {
                own.at += 1;
                own.ty()
            }
            b'D' => match own.rest().as_bytes().get(1)? {
                b'p' | b'o' => {
                    own.at += 2;
                    own.ty()
                }
                b'T' | b't' => {
                    own.at += 2;
                    own.expression()?;
                    own.expect("E")
                }
                b'v' => {
                    own.at += 2;
                    own.number()?;
                    own.expect("_")?;
                    own.ty()
                }
                _ => own.skip(2),
            },
            b'N' => {
                own.at += 1;
                own.until_end(Self::component)
            }
            b'F' => {
                own.at += 1;
                own.take("Y");
                own.until_end(|own| if own.take("R") || own.take("O") { Some(()) } else { own.ty() })
            }
            b'A' => {
                own.at += 1;
                if own.next() != b'_' && own.number().is_none() {
                    own.expression()?;
                }
                own.expect("_")?;
                own.ty()
            }
            b'M' => {
                own.at += 1;
                own.ty()?;
                own.ty()
            }
            b'Z' => {
                own.at += 1;
                own.encoding()?;
                own.expect("E")?;
                if own.take("s") { Some(()) } else { own.name() }?;
                let discriminator = own.rest().starts_with('_');
                if discriminator { own.skip(2) } else { Some(()) }
            }
            b'S' | b'T' | b'0'..=b'9' | b'U' => {
                own.component()?;
                own.arguments()
            }
            b'a'..=b'z' => own.skip(1),
            _ => None,
        })
    }

    fn expression(&mut self) -> Option<()> {
        self.within(Self::operation)
    }

    fn operation(&mut self) -> Option<()> {
        match self.next() {
            b'T' => return self.parameter(),
            b'0'..=b'9' => {
                self.source_name()?;
                return self.arguments();
            }
            b'L' => {
                self.at += 1;
                if self.take("_Z") {
                    self.encoding()?;
                } else {
                    self.ty()?;
                    self.at += self.rest().find('E')?;
                }
                return self.expect("E");
            }
            _ => {}
        }
        let operator = self.at;
        let code = self.rest().get(..2)?.to_owned();
        self.at += 2;
        match code.as_str() {
            "fp" => self.sequence(),
            "sr" => {
                let is_parameter = !matches!(self.next(), b'S' | b'N' | b'0'..=b'9');
                self.ty()?;
                if !is_parameter {
                    self.edits.push(Edit { at: operator, removed: 2, added: "dttl" });
                    self.edits.push(Edit { at: self.at, removed: 0, added: "E" });
                }
                self.source_name()?;
                self.arguments()
            }
            "st" | "at" | "ti" => self.ty(),
            "cv" => {
                self.ty()?;
                if self.take("_") { self.until_end(Self::expression) } else { self.expression() }
            }
            "tl" => {
                self.ty()?;
                self.until_end(Self::expression)
            }
            "il" | "cl" => self.until_end(Self::expression),
            "dc" | "sc" | "cc" | "rc" => {
                self.ty()?;
                self.expression()
            }
            "fl" | "fr" => {
                self.skip(2)?;
                self.expression()
            }
            "qu" => (0..3).try_for_each(|_| self.expression()),
            code if UNARY.contains(&code) => self.expression(),
            code if BINARY.contains(&code) => {
                self.expression()?;
                self.expression()
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demangle::cxx;

    #[test]
    fn members_of_types_and_declared_parameters_are_read() {
        // As gcc 12 and clang 19 write them.
        let table = [
            (
                "_ZSt4sqrtIiEN9__gnu_cxx11__enable_ifIXsrSt12__is_integerIT_E7__valueEdE6__typeES3_",
                "std::sqrt<int>(int)",
            ),
            ("_ZN3app2w2IiEENSt9enable_ifIXsrSt11is_integralIT_E5valueEdE4typeES3_", "app::w2<int>(int)"),
            (
                "_ZN3app2n1ISt6vectorIdSaIdEEEENSt9enable_ifIXaasrSt7is_sameINT_10value_typeEdE5valuentsrSt10is_pointerIS6_E5valueEvE4typeES6_",
                "app::n1<std::vector<double, std::allocator<double> > >(std::vector<double, std::allocator<double> >)",
            ),
            (
                "_ZSt3powIdiEN9__gnu_cxx11__promote_2IDTplcvNS1_IT_XsrSt12__is_integerIS2_E7__valueEE6__typeELi0EcvNS1_IT0_XsrS3_IS7_E7__valueEE6__typeELi0EEXsrS3_ISB_E7__valueEE6__typeES2_S7_",
                "std::pow<double, int>(double, int)",
            ),
            (
                "_ZN3app1gIiEEvT_PNSt9enable_ifIXsrSt11is_integralIS1_E5valueEvE4typeE",
                "app::g<int>(int, std::enable_if<std::is_integral<int>::value, void>::type*)",
            ),
            (
                "_ZN4llvm15callDefaultCtorINS_12IRTranslatorETnNSt9enable_ifIXtlSt24is_default_constructibleIT_EEEbE4typeELb1EEEPNS_4PassEv",
                "llvm::callDefaultCtor<llvm::IRTranslator, std::enable_if<std::is_default_constructible<llvm::IRTranslator>{}, bool>::type, true>()",
            ),
        ];
        for (symbol, expected) in table {
            assert_eq!(cxx(symbol).as_deref(), Some(expected), "{symbol}");
        }
    }

    #[test]
    fn any_bytes_are_read_within_bounds() {
        let deep = format!("_Z1f{}i", "P".repeat(100_000));
        assert_eq!(rewritten(&deep), None);
        let symbol = b"_ZN3app1gIiTnNSt9enable_ifIXsrSt11is_integralIT_E5valueEbE4typeELb1EEEvT_PNS1_IXsrS2_IS4_E5valueEvE4typeE";
        let mut state = 11_u32;
        for _ in 0..20_000 {
            let mut bytes = symbol.to_vec();
            for _ in 0..3 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let at = (state >> 8) as usize % bytes.len();
                bytes[at] = b"ENISTXLDZtrs_09\xc3"[(state >> 24) as usize % 16];
            }
            let text = String::from_utf8_lossy(&bytes);
            let _ = (cxx(&text), with_members_of_types(text.to_string()));
        }
    }
}
