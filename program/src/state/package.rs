use pinocchio::{Address, ProgramResult};
use solana_address::address_eq;

use super::{Header, Kind, I64, U16, U64};
use crate::{error::RelayError, verify::require};

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
    reserved: [u8; 32],
}

// SAFETY: bytes only, header first.
unsafe impl Kind for Package {
    const KIND: u8 = 2;

    #[inline(always)]
    fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }
}

impl Package {
    #[inline(always)]
    pub fn is(&self, status: PackageStatus) -> bool {
        self.status == status as u8
    }

    /// Delivered, cancelled or reclaimed: nothing of it can move any more.
    #[inline(always)]
    pub fn is_over(&self) -> bool {
        [PackageStatus::Delivered, PackageStatus::Cancelled, PackageStatus::Reclaimed].iter().any(|end| self.is(*end))
    }

    #[inline(always)]
    pub fn require(&self, status: PackageStatus) -> ProgramResult {
        require(self.is(status), RelayError::InvalidStatus)
    }

    #[inline(always)]
    pub fn become_status(&mut self, status: PackageStatus) {
        self.status = status as u8;
    }

    #[inline(always)]
    pub fn is_shipper(&self, address: &Address) -> bool {
        address_eq(&self.shipper, address)
    }

    #[inline(always)]
    pub fn is_funder(&self, address: &Address) -> bool {
        address_eq(&self.funder, address)
    }
}
