use pinocchio::{AccountView, Address};
use solana_address::address_eq;

use super::{Header, Kind};
use crate::{
    error::{Checked, RelayError},
    verify::{self, require},
};

/// No key: nobody can sign for it.
pub const NOBODY: Address = Address::new_from_array([0; 32]);

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
    type Tail = ();
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

    /// Every one of the authority's instructions needs this.
    #[inline(always)]
    pub fn require_authority(&self, account: &AccountView) -> Checked {
        verify::signer(account)?;
        require(address_eq(&self.authority, account.address()), RelayError::Unauthorized)
    }

    /// The account is the proposed next authority, and there is a proposal.
    #[inline(always)]
    pub fn require_proposed(&self, account: &AccountView) -> Checked {
        verify::signer(account)?;
        let proposed =
            address_eq(&self.pending_authority, account.address()) && !address_eq(&self.pending_authority, &NOBODY);
        require(proposed, RelayError::Unauthorized)
    }

    #[inline(always)]
    pub fn withdraw_proposal(&mut self) {
        self.pending_authority = NOBODY;
    }

    #[inline(always)]
    pub fn set_paused(&mut self, paused: bool) {
        self.paused = paused as u8;
    }

    /// While paused nothing new starts; exits do not ask.
    #[inline(always)]
    pub fn require_running(&self) -> Checked {
        require(self.paused == 0, RelayError::Paused)
    }
}

/// The hot key must not be able to replace itself, and a key that nobody has could never act.
#[inline(always)]
pub fn require_two_roles(authority: &Address, coordinator: &Address) -> Checked {
    let fine =
        !address_eq(authority, coordinator) && !address_eq(authority, &NOBODY) && !address_eq(coordinator, &NOBODY);
    require(fine, RelayError::InvalidRole)
}
