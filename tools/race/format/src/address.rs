//! Addresses as hexadecimal strings.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// An address in the process, `"0x7f12"` in JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub u64);

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:#x}", self.0)
    }
}

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Digits;
        impl de::Visitor<'_> for Digits {
            type Value = Address;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an address: 0x and hexadecimal digits")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Address, E> {
                let digits = text.strip_prefix("0x").filter(|digits| !digits.starts_with('+'));
                let number = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
                number.map(Address).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        from.deserialize_str(Digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_hexadecimal_string() {
        assert_eq!(serde_json::to_string(&Address(0x7f12)).unwrap(), "\"0x7f12\"");
        assert_eq!(serde_json::from_str::<Address>("\"0xffffffffffffffff\"").unwrap(), Address(u64::MAX));
        for wrong in ["\"7f12\"", "\"0x\"", "\"0x+1\"", "\"0x10000000000000000\"", "12"] {
            assert!(serde_json::from_str::<Address>(wrong).is_err(), "{wrong}");
        }
    }
}
