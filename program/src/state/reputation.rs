use pinocchio::{error::ProgramError, Address, ProgramResult};

use super::{Header, Kind, U64};
use crate::{error::RelayError, math};

/// What an agent accepted and completed.
#[repr(C)]
pub struct Reputation {
    header: Header,
    reliability_score: u8,
    pub agent: Address,
    legs_accepted: U64,
    legs_completed: U64,
}

// SAFETY: bytes only, header first.
unsafe impl Kind for Reputation {
    const KIND: u8 = 5;

    #[inline(always)]
    fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }
}

impl Reputation {
    #[inline(always)]
    pub fn accept_leg(&mut self) -> ProgramResult {
        self.legs_accepted.set(one_more(&self.legs_accepted)?);
        self.score()
    }

    #[inline(always)]
    pub fn complete_leg(&mut self) -> ProgramResult {
        self.legs_completed.set(one_more(&self.legs_completed)?);
        self.score()
    }

    #[inline(always)]
    fn score(&mut self) -> ProgramResult {
        self.reliability_score = math::reliability_score(self.legs_completed.get(), self.legs_accepted.get())
            .ok_or(RelayError::ArithmeticOverflow)?;
        Ok(())
    }
}

#[inline(always)]
fn one_more(number: &U64) -> Result<u64, ProgramError> {
    number.get().checked_add(1).ok_or_else(|| RelayError::ArithmeticOverflow.into())
}
