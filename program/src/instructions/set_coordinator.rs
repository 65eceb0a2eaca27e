use pinocchio::{AccountView, Address, ProgramResult};

use crate::{
    error::RelayError,
    event::{CoordinatorSet, Event},
    state::{require_two_roles, Config, Kind},
    verify::Arguments,
};

pub const DISCRIMINATOR: u8 = 1;

#[repr(C)]
struct Args {
    coordinator: Address,
}

// SAFETY: bytes only.
unsafe impl Arguments for Args {}

/// Replaces the hot key, at once. The former one keeps only what it paid for: the rent of swarms it formed, and the
/// refunds of packages it funded.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [authority, config, ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let args = Args::read(data)?;

    let settings = Config::load_mut(program_id, config)?;
    settings.require_authority(authority)?;
    require_two_roles(&settings.authority, &args.coordinator)?;

    settings.coordinator = args.coordinator;

    CoordinatorSet { discriminator: DISCRIMINATOR, coordinator: args.coordinator }.emit();
    Ok(())
}
