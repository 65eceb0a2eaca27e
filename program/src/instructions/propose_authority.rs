use pinocchio::{AccountView, Address, ProgramResult};
use solana_address::address_eq;

use crate::{
    error::RelayError,
    event::{AuthorityProposed, Event},
    state::{Config, Kind},
    verify::{require, Arguments},
};

pub const DISCRIMINATOR: u8 = 12;

#[repr(C)]
struct Args {
    authority: Address,
}

// SAFETY: bytes only.
unsafe impl Arguments for Args {}

/// Names who may take over the cold role; the zero key withdraws the proposal. Two steps, so that a key nobody has cannot
/// get the role by a typo.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [authority, config, ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let args = Args::read(data)?;

    let settings = Config::load_mut(program_id, config)?;
    settings.require_authority(authority)?;
    require(!address_eq(&args.authority, &settings.coordinator), RelayError::InvalidRole)?;

    settings.pending_authority = args.authority;

    AuthorityProposed { discriminator: DISCRIMINATOR, authority: args.authority }.emit();
    Ok(())
}
