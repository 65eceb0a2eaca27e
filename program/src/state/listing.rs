use pinocchio::{AccountView, Address};
use solana_address::address_eq;

use super::{Config, Kind, Mandate, Terms};
use crate::{
    error::{Checked, RelayError},
    verify::require,
};

/// Where a signer may show that the mandate is its own that is the funder.
pub struct Behind<'a> {
    pub program_id: &'a Address,
    /// The account in the funder's place.
    pub funder: &'a AccountView,
}

/// What is listed with a budget in a vault of its own: a package or a task.
pub trait Listing: Kind<Tail = Terms> {
    /// Flags of terms that mean something here.
    const KNOWN_FLAGS: u8;

    /// Bit of it among the permits of a mandate.
    const PERMIT: u8;

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

    /// Whoever may cancel and reclaim: lister, funder or coordinator, and the owner of the mandate that is the funder.
    #[inline(always)]
    fn require_party(&self, signer: &Address, config: &Config, behind: &Behind) -> Checked {
        if address_eq(self.lister(), signer) {
            return Ok(());
        }
        self.require_manager(signer, config, behind)
    }

    /// Whoever may settle and close: funder or coordinator, and the owner of the mandate that is the funder.
    #[inline(always)]
    fn require_manager(&self, signer: &Address, config: &Config, behind: &Behind) -> Checked {
        require_managed(self.funder(), signer, config, behind.program_id, behind.funder)
    }
}

// Not inlined, because every exit asks.
#[inline(never)]
fn require_managed(
    funder: &Address,
    signer: &Address,
    config: &Config,
    program_id: &Address,
    account: &AccountView,
) -> Checked {
    if address_eq(funder, signer) || config.is_coordinator(signer) {
        return Ok(());
    }
    require_owner(funder, signer, program_id, account)
}

/// The account is the mandate that is the funder, and the signer its owner.
// Apart, so that who needs no mandate takes no step more.
#[cold]
#[inline(never)]
fn require_owner(funder: &Address, signer: &Address, program_id: &Address, account: &AccountView) -> Checked {
    let is_owner = address_eq(account.address(), funder)
        && Mandate::load(program_id, account).is_ok_and(|mandate| address_eq(&mandate.owner, signer));
    require(is_owner, RelayError::Unauthorized)
}
