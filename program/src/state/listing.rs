use pinocchio::Address;
use solana_address::address_eq;

use super::{Config, Kind, Terms};
use crate::{
    error::{Checked, RelayError},
    verify::require,
};

/// What is listed with a budget in a vault of its own: a package or a task.
pub trait Listing: Kind<Tail = Terms> {
    /// Flags of terms that mean something here.
    const KNOWN_FLAGS: u8;

    /// First seed of its address; lister and id follow.
    const WORD: &'static [u8];

    /// Shipper or poster.
    fn lister(&self) -> &Address;

    /// Paid the budget; receives what is left of it.
    fn funder(&self) -> &Address;

    /// What its amounts count: lamports, or base units of a token.
    fn asset(&self) -> u8;

    fn set_asset(&mut self, asset: u8);

    fn vault_bump(&self) -> &u8;

    fn is_listed(&self) -> bool;

    /// Nothing of it can move any more.
    fn is_over(&self) -> bool;

    fn cancel(&mut self);

    /// Whoever may cancel and reclaim: lister, funder or coordinator.
    #[inline(always)]
    fn require_party(&self, signer: &Address, config: &Config) -> Checked {
        let allowed = address_eq(self.lister(), signer) || self.is_managed_by(signer, config);
        require(allowed, RelayError::Unauthorized)
    }

    /// Whoever may settle and close: funder or coordinator.
    #[inline(always)]
    fn require_manager(&self, signer: &Address, config: &Config) -> Checked {
        require(self.is_managed_by(signer, config), RelayError::Unauthorized)
    }

    // Not inlined, because every exit asks.
    #[inline(never)]
    fn is_managed_by(&self, signer: &Address, config: &Config) -> bool {
        address_eq(self.funder(), signer) || config.is_coordinator(signer)
    }
}
