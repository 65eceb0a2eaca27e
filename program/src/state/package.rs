use pinocchio::Address;

use super::{seeds, Header, Kind, Listing, Mandate, Nonce, Terms, I64, U16, U64};
use crate::{
    error::{Checked, RelayError},
    verify::require,
};

/// Statuses in the order a package can pass them.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum PackageStatus {
    Listed,
    Forming,
    InTransit,
    Delivered,
    Cancelled,
    Reclaimed,
}

/// A delivery whose budget is locked in its vault.
#[repr(C)]
pub struct Package {
    header: Header,
    status: u8,
    /// Canonical bump of the vault's address.
    pub vault_bump: u8,
    /// How many swarms were formed for the package so far.
    pub formation: U16,
    pub package_id: [u8; 16],
    pub shipper: Address,
    pub funder: Address,
    pub max_budget: U64,
    pub paid: U64,
    pub listed_at: I64,
    pub deadline: I64,
    pub terms_hash: [u8; 32],
    pub nonce: Nonce,
    /// What the amounts count; 0: lamports.
    pub asset: u8,
    reserved: [u8; 23],
}

// SAFETY: bytes only, header first.
unsafe impl Kind for Package {
    type Tail = Terms;
    const KIND: u8 = 2;

    #[inline(always)]
    fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }
}

impl Listing for Package {
    const KNOWN_FLAGS: u8 = Terms::PACKAGE_FLAGS;
    const PERMIT: u8 = Mandate::PACKAGES;
    const WORD: &'static [u8] = seeds::PACKAGE;

    #[inline(always)]
    fn lister(&self) -> &Address {
        &self.shipper
    }

    #[inline(always)]
    fn funder(&self) -> &Address {
        &self.funder
    }

    #[inline(always)]
    fn asset(&self) -> u8 {
        self.asset
    }

    #[inline(always)]
    fn set_asset(&mut self, asset: u8) {
        self.asset = asset;
    }

    #[inline(always)]
    fn vault_bump(&self) -> &u8 {
        &self.vault_bump
    }

    #[inline(always)]
    fn is_listed(&self) -> bool {
        self.is(PackageStatus::Listed)
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        [PackageStatus::Delivered, PackageStatus::Cancelled, PackageStatus::Reclaimed].iter().any(|end| self.is(*end))
    }

    #[inline(always)]
    fn cancel(&mut self) {
        self.become_status(PackageStatus::Cancelled);
    }
}

impl Package {
    #[inline(always)]
    pub fn is(&self, status: PackageStatus) -> bool {
        self.status == status as u8
    }

    #[inline(always)]
    pub fn require(&self, status: PackageStatus) -> Checked {
        require(self.is(status), RelayError::InvalidStatus)
    }

    #[inline(always)]
    pub fn become_status(&mut self, status: PackageStatus) {
        self.status = status as u8;
    }
}
