use pinocchio::{
    error::ProgramError,
    sysvars::{
        get_sysvar,
        rent::{ACCOUNT_STORAGE_OVERHEAD, RENT_ID},
    },
};

use crate::{error::RelayError, math::checked_mul};

/// The rent an account needs, from the sysvar as this cluster has it.
pub struct Rent {
    lamports_per_byte: u64,
}

/// Bit pattern of 2.0: clusters that have not folded the exemption threshold into the rate store half the rate and this.
const THRESHOLD_OF_TWO_YEARS: u64 = 0x4000_0000_0000_0000;

impl Rent {
    #[inline(always)]
    fn from_parts(rate: u64, threshold_bits: u64) -> Option<Self> {
        let lamports_per_byte = if threshold_bits == THRESHOLD_OF_TWO_YEARS { rate.checked_add(rate)? } else { rate };
        Some(Self { lamports_per_byte })
    }

    /// Lamports an account with `data_len` bytes (at most 10 MiB) must hold.
    #[inline(always)]
    pub fn minimum(&self, data_len: usize) -> Result<u64, RelayError> {
        let bytes = ACCOUNT_STORAGE_OVERHEAD as u32 + data_len as u32;
        checked_mul(self.lamports_per_byte, bytes).ok_or(RelayError::ArithmeticOverflow)
    }

    // Not inlined, because many instructions ask.
    #[inline(never)]
    pub fn get() -> Result<Self, ProgramError> {
        let mut bytes = [0; 16];
        get_sysvar(&mut bytes, &RENT_ID, 0)?;
        let [rate, threshold_bits] = [0, 8].map(|at| {
            let mut number = [0; 8];
            number.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(number)
        });
        Self::from_parts(rate, threshold_bits).ok_or_else(|| RelayError::ArithmeticOverflow.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THRESHOLD_OF_ONE_YEAR: u64 = 0x3ff0_0000_0000_0000;

    #[test]
    fn both_forms_of_the_sysvar_give_the_same_minimum() {
        let folded = Rent::from_parts(6_960, THRESHOLD_OF_ONE_YEAR).unwrap();
        let unfolded = Rent::from_parts(3_480, THRESHOLD_OF_TWO_YEARS).unwrap();
        for length in [0, 52, 183] {
            assert_eq!(folded.minimum(length), unfolded.minimum(length));
        }
        assert_eq!(folded.minimum(0), Ok(890_880));
    }

    #[test]
    fn a_minimum_that_does_not_fit_is_refused() {
        let rent = Rent::from_parts(u64::MAX, THRESHOLD_OF_ONE_YEAR).unwrap();
        assert_eq!(rent.minimum(0), Err(RelayError::ArithmeticOverflow));
    }
}
