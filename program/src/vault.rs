//! What leaves a vault: payments for completed legs, and the refund of the rest.
use pinocchio::{
    cpi::{Seed, Signer},
    error::ProgramError,
    AccountView, Address, ProgramResult,
};
use pinocchio_system::instructions::Transfer;

use crate::{
    error::RelayError,
    rent::Rent,
    state::{seeds, Listing},
    verify::{self, require},
};

/// The vault covers the payment on top of its own rent minimum, and the payee, who gets `more` from elsewhere, can receive
/// and keep it.
#[inline(never)]
pub fn require_payable(vault: &AccountView, payee: &AccountView, payment: u64, more: u64) -> ProgramResult {
    let rent = Rent::get()?;
    let spendable = vault.lamports().saturating_sub(rent.minimum(0)?);
    require(spendable >= payment, RelayError::InsufficientVault)?;
    verify::payee(payee)?;
    let balance = payee.lamports().checked_add(payment).and_then(|sum| sum.checked_add(more));
    let lasting = balance.ok_or(RelayError::ArithmeticOverflow)? >= rent.minimum(payee.data_len())?;
    Ok(require(lasting, RelayError::PayeeCannotReceive)?)
}

/// What the vault of a package or task signs with.
pub struct Signature<'a> {
    pub listing: &'a Address,
    pub bump: &'a u8,
}

impl<'a> Signature<'a> {
    #[inline(always)]
    pub fn seeds(&self) -> [Seed<'a>; 3] {
        let Self { listing, bump } = *self;
        [Seed::from(seeds::VAULT), Seed::from(listing.as_ref()), Seed::from(core::slice::from_ref(bump))]
    }
}

// Not inlined, because many instructions pay; the target passes at most five arguments, the result's place among them.
/// Pays from the vault.
#[inline(never)]
pub fn pay(vault: &AccountView, to: &AccountView, lamports: u64, signature: &Signature) -> ProgramResult {
    let seeds = signature.seeds();
    Transfer { from: vault, to, lamports }.invoke_signed(&[Signer::from(&seeds[..])])
}

/// Returns the whole vault of the listing at this address to its funder, and how much that was.
///
/// The runtime balances lamports at every call to another program: this call comes before direct moves.
#[inline(always)]
pub fn refund<T: Listing>(
    program_id: &Address,
    address: &Address,
    listing: &T,
    vault: &AccountView,
    funder: &AccountView,
) -> Result<u64, ProgramError> {
    verify::address(funder, listing.funder())?;
    verify::payee(funder)?;
    seeds::vault(vault, address, *listing.vault_bump(), program_id)?;
    let lamports = vault.lamports();
    pay(vault, funder, lamports, &Signature { listing: address, bump: listing.vault_bump() })?;
    Ok(lamports)
}
