//! Reading a text that must be exactly what is expected of it.
use pinocchio::Address;

use crate::{
    error::{Checked, RelayError},
    verify::require,
};

const MISMATCH: RelayError = RelayError::HandoffMismatch;

/// What of a text is not yet read.
pub struct Text<'a>(pub &'a [u8]);

impl<'a> Text<'a> {
    #[inline(never)]
    pub fn word(&mut self, word: &[u8]) -> Checked {
        let rest = self.0.strip_prefix(word).ok_or(MISMATCH)?;
        self.0 = rest;
        Ok(())
    }

    #[inline(always)]
    pub fn end(&self) -> Checked {
        require(self.0.is_empty(), MISMATCH)
    }

    #[inline(never)]
    fn take(&mut self, length: usize) -> Result<&'a [u8], RelayError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(MISMATCH)?;
        self.0 = rest;
        Ok(taken)
    }

    /// This number in decimal digits, without zeros before it.
    #[inline(never)]
    pub fn number(&mut self, number: u16) -> Checked {
        let mut digits = [0; 5];
        let mut first = digits.len();
        let mut left = number as u64;
        loop {
            first -= 1;
            digits[first] = b'0' + (left % 10) as u8;
            left /= 10;
            if left == 0 {
                return self.word(&digits[first..]);
            }
        }
    }

    /// These bytes in small hexadecimal digits; their number is a multiple of four.
    #[inline(never)]
    pub fn hex(&mut self, bytes: &[u8]) -> Checked {
        let digits = self.take(bytes.len() * 2)?;
        let mut words = digits.chunks_exact(8).zip(bytes.chunks_exact(4));
        require(words.all(|(digits, bytes)| word_of(digits) == hex_digits(bytes)), MISMATCH)
    }

    /// So many small hexadecimal digits, a multiple of eight.
    #[inline(never)]
    pub fn any_hex(&mut self, digits: usize) -> Checked {
        require(self.take(digits)?.chunks_exact(8).all(|digits| are_hex_digits(word_of(digits))), MISMATCH)
    }

    /// A time as `2026-11-28T12:40:05Z`, of this century; Unix seconds.
    #[inline(never)]
    pub fn time(&mut self) -> Result<i64, RelayError> {
        let text = self.take(20)?;
        let [b'2', b'0', a, b, b'-', c, d, b'-', e, f, b'T', g, h, b':', i, j, b':', k, l, b'Z'] = text else {
            return Err(MISMATCH);
        };
        let (year, month, day) = (two_digits(a, b)?, two_digits(c, d)?, two_digits(e, f)?);
        let (hour, minute, second) = (two_digits(g, h)?, two_digits(i, j)?, two_digits(k, l)?);
        let days = days_since_1970(year, month, day).ok_or(MISMATCH)?;
        require(hour < 24 && minute < 60 && second < 60, MISMATCH)?;
        // Below 2^32 until the century ends.
        Ok((days * 86_400 + hour * 3_600 + minute * 60 + second) as i64)
    }

    /// This address in base 58, as everybody writes it.
    #[inline(never)]
    pub fn address(&mut self, address: &Address) -> Checked {
        let mut limbs = [0_u32; LIMBS];
        for (limb, bytes) in limbs.iter_mut().zip(address.as_ref().chunks_exact(4)) {
            *limb = number_of(bytes);
        }
        let mut digits = [b'1'; DIGITS];
        let mut used = &mut limbs[..];
        for chunk in digits.rchunks_exact_mut(CHUNK) {
            let mut digits = divide(used);
            for digit in chunk.iter_mut().rev() {
                *digit = digit_of(digits % 58);
                digits /= 58;
            }
            if let [0, rest @ ..] = used {
                used = rest;
            }
        }
        let zeros = address.as_ref().iter().take_while(|byte| **byte == 0).count();
        let ones = digits.iter().take_while(|digit| **digit == b'1').count();
        // Each zero byte in front is a one; the ones before those fill the places that the number does not need.
        self.word(digits.get(ones - zeros.min(ones)..).ok_or(MISMATCH)?)
    }
}

/// Of 32 bits each, the first of the address first.
const LIMBS: usize = 8;
/// Digits that one division brings: 58^5 is the largest power below 2^32.
const CHUNK: usize = 5;
/// Places for an address in base 58, which needs 44.
const DIGITS: usize = 45;

/// Divides the number by 58^5 and returns what is left over. With overflow checks the target would multiply in 128 bits.
#[inline(never)]
fn divide(limbs: &mut [u32]) -> u64 {
    const BY: u64 = 58 * 58 * 58 * 58 * 58;
    let mut left = 0_u64;
    for limb in limbs {
        let wide = left << 32 | *limb as u64;
        let quotient = wide / BY;
        left = wide.wrapping_sub(quotient.wrapping_mul(BY));
        *limb = quotient as u32;
    }
    left
}

#[inline(always)]
fn two_digits(tens: &u8, ones: &u8) -> Result<u32, RelayError> {
    let (tens, ones) = (tens.wrapping_sub(b'0') as u32, ones.wrapping_sub(b'0') as u32);
    require(tens < 10 && ones < 10, MISMATCH)?;
    Ok(tens * 10 + ones)
}

#[inline(always)]
fn digit_of(value: u64) -> u8 {
    const ALPHABET: &[u8; 64] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz??????";
    ALPHABET[value as usize & 63]
}

#[inline(always)]
fn number_of(four: &[u8]) -> u32 {
    match four {
        [a, b, c, d] => u32::from_be_bytes([*a, *b, *c, *d]),
        _ => 0,
    }
}

#[inline(always)]
fn word_of(eight: &[u8]) -> u64 {
    match eight.split_at_checked(4) {
        Some((high, low)) => (number_of(high) as u64) << 32 | number_of(low) as u64,
        None => 0,
    }
}

/// A byte with this value in each of eight places.
const fn each(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The eight digits of four bytes, all at once.
#[inline(always)]
fn hex_digits(bytes: &[u8]) -> u64 {
    let mut digits = number_of(bytes) as u64;
    digits = (digits | digits << 16) & 0x0000_ffff_0000_ffff;
    digits = (digits | digits << 8) & 0x00ff_00ff_00ff_00ff;
    digits = (digits | digits << 4) & each(0x0f);
    let letters = (digits.wrapping_add(each(6)) >> 4) & each(1);
    digits.wrapping_add(each(b'0')).wrapping_add(letters.wrapping_mul((b'a' - b'9' - 1) as u64))
}

/// The highest bit of a byte tells, after an addition, whether it was at least so large.
#[inline(always)]
fn are_hex_digits(word: u64) -> bool {
    const HIGH: u64 = each(0x80);
    let from = |least: u8| word.wrapping_add(each(0x80 - least));
    let is_digit = from(b'0') & !from(b'9' + 1);
    let is_letter = from(b'a') & !from(b'f' + 1);
    word & HIGH == 0 && (is_digit | is_letter) & HIGH == HIGH
}

/// Of a day of this century: `year` is its last two digits.
#[inline(always)]
fn days_since_1970(year: u32, month: u32, day: u32) -> Option<u32> {
    const TO_2000: u32 = 10_957;
    /// Days of a year before each month.
    const BEFORE: [u16; 13] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];
    let is_leap = year % 4 == 0;
    let before = *BEFORE.get(month.wrapping_sub(1) as usize)? as u32;
    let longest = *BEFORE.get(month as usize)? as u32 - before + (is_leap && month == 2) as u32;
    if day == 0 || day > longest {
        return None;
    }
    let leap_days = (year + 3) / 4 + (is_leap && month > 2) as u32;
    Some(TO_2000 + year * 365 + leap_days + before + day - 1)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::{format, string::ToString};

    #[test]
    fn a_time_is_read_to_the_second() {
        for (text, seconds) in [
            ("2000-01-01T00:00:00Z", 946_684_800),
            ("2000-02-29T23:59:59Z", 951_868_799),
            ("2026-11-28T12:40:05Z", 1_795_869_605),
            ("2027-03-01T00:00:00Z", 1_803_859_200),
            ("2028-12-31T23:59:59Z", 1_861_919_999),
            ("2099-12-31T23:59:59Z", 4_102_444_799),
        ] {
            assert_eq!(Text(text.as_bytes()).time(), Ok(seconds), "{text}");
        }
    }

    #[test]
    fn a_day_that_is_none_is_refused() {
        for text in [
            "2026-02-29T00:00:00Z",
            "2026-00-10T00:00:00Z",
            "2026-13-10T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "2026-04-00T00:00:00Z",
            "2026-04-01T24:00:00Z",
            "2026-04-01T00:60:00Z",
            "2026-04-01T00:00:60Z",
            "2126-04-01T00:00:00Z",
            "2026-04-01 00:00:00Z",
            "2026-04-01T00:00:00",
        ] {
            assert!(Text(text.as_bytes()).time().is_err(), "{text}");
        }
    }

    #[test]
    fn every_address_is_read_as_it_is_written_and_no_other() {
        let mut bytes = [0_u8; 32];
        for round in 0..2_000_u32 {
            for (at, byte) in bytes.iter_mut().enumerate() {
                *byte = byte.wrapping_mul(31).wrapping_add((round as u8) ^ (at as u8).wrapping_mul(17));
            }
            for zero in bytes.iter_mut().take((round % 33) as usize) {
                *zero = 0;
            }
            let address = Address::new_from_array(bytes);
            let text = address.to_string() + "\n";
            let mut read = Text(text.as_bytes());
            assert!(read.address(&address).is_ok(), "{address}");
            assert_eq!(read.0, b"\n");
            let is_line = |text: &str, address| {
                let mut read = Text(text.as_bytes());
                read.address(address).and_then(|()| read.word(b"\n")).is_ok()
            };
            assert!(!is_line(&format!("1{text}"), &address));
            let mut other = bytes;
            other[(round % 32) as usize] ^= 1 << (round % 8);
            assert!(!is_line(&text, &Address::new_from_array(other)));
        }
        let largest = Address::new_from_array([255; 32]);
        assert!(Text(largest.to_string().as_bytes()).address(&largest).is_ok());
    }

    #[test]
    fn numbers_and_hex_digits_have_one_form() {
        for number in [0, 7, 10, 999, u16::MAX] {
            assert!(Text(number.to_string().as_bytes()).number(number).is_ok());
        }
        assert!(Text(b"07").number(7).is_err());
        assert!(Text(b"0aff9078").hex(&[10, 255, 144, 120]).is_ok());
        assert!(Text(b"0AFF9078").hex(&[10, 255, 144, 120]).is_err());
        assert!(Text(b"0aff907").hex(&[10, 255, 144, 120]).is_err());
        for byte in 0..=u8::MAX {
            for at in 0..8 {
                let mut digits = *b"09afbe55";
                digits[at] = byte;
                let is_digit = matches!(byte, b'0'..=b'9' | b'a'..=b'f');
                assert_eq!(Text(&digits).any_hex(8).is_ok(), is_digit, "{byte} at {at}");
            }
        }
    }
}
