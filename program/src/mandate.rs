//! What a mandate pays for a listing.
use pinocchio::{
    cpi::{Seed, Signer},
    AccountView, Address, ProgramResult,
};
use pinocchio_system::instructions::Transfer;
use solana_address::address_eq;

use crate::{
    close::move_lamports,
    cpi::Creator,
    error::RelayError,
    rent::Rent,
    state::{Kind, Mandate, Wish, SOL},
    verify::{self, owned_by, require},
};

/// A listing that a mandate is to pay for.
pub struct Draw<'a> {
    pub program_id: &'a Address,
    /// The delegate, who signs.
    pub lister: &'a AccountView,
    pub wish: Wish<'a>,
    pub max_budget: u64,
    /// Bytes of the listing's account.
    pub space: usize,
    /// Lamports that go to the vault.
    pub deposit: u64,
}

impl Draw<'_> {
    /// Creates the account of the listing, with what its vault is to have, from the lamports of the funder, who has not signed,
    /// if that is a mandate which allows it. The delegate advances nothing.
    #[inline(always)]
    pub fn create(&self, funder: &mut AccountView, listing: &mut AccountView, seeds: &[Seed; 4]) -> ProgramResult {
        let Self { program_id, lister, wish, space, .. } = self;
        if !owned_by(funder, program_id) {
            // Nobody can sign for an address off the curve: a mandate was here, or might be.
            let is_key = funder.address().is_on_curve();
            return Err(if is_key { RelayError::MissingSignature } else { RelayError::MandateMissing }.into());
        }
        verify::signer(lister)?;
        let rent = Rent::get()?;
        let missing_rent = rent.minimum(*space)?.saturating_sub(listing.lamports());
        let lamports = missing_rent.checked_add(self.deposit).ok_or(RelayError::ArithmeticOverflow)?;
        let left = funder.lamports().saturating_sub(rent.minimum(size_of::<Mandate>())?);
        let mandate = Mandate::load_mut(program_id, funder)?;
        require(address_eq(&mandate.delegate, lister.address()), RelayError::Unauthorized)?;
        mandate.require_allowed(wish)?;
        mandate.spend(if wish.asset == SOL { lamports } else { self.max_budget }, wish.now)?;
        require(lamports <= left, RelayError::MandateEmpty)?;

        move_lamports(funder, listing, lamports)?;
        // At each call to another program the runtime takes over the lamports of its accounts only, and they must balance: this
        // call of nothing names both.
        Transfer { from: listing, to: funder, lamports: 0 }.invoke_signed(&[Signer::from(&seeds[..])])?;
        Creator { program_id, payer: funder, rent, deposit: 0 }.create_with_space(listing, *space, seeds)
    }
}
