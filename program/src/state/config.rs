use pinocchio::{Address, ProgramResult};
use solana_address::address_eq;

use super::{Header, Kind};
use crate::{error::RelayError, verify::require};

/// Who may do what.
#[repr(C)]
pub struct Config {
    header: Header,
    /// Cold key: replaces the coordinator, pauses, hands its role on.
    pub authority: Address,
    /// Proposed next authority; all zero: none.
    pub pending_authority: Address,
    /// Hot key of the service.
    pub coordinator: Address,
    paused: u8,
}

// SAFETY: bytes only, header first.
unsafe impl Kind for Config {
    const KIND: u8 = 1;

    #[inline(always)]
    fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }
}

impl Config {
    #[inline(always)]
    pub fn is_coordinator(&self, address: &Address) -> bool {
        address_eq(&self.coordinator, address)
    }

    /// While paused nothing new starts; exits do not ask.
    #[inline(always)]
    pub fn require_running(&self) -> ProgramResult {
        require(self.paused == 0, RelayError::Paused)
    }
}
