use pinocchio::{AccountView, Address, ProgramResult};

use crate::{
    error::RelayError,
    event::{Event, PausedSet},
    state::{Config, Kind},
    verify::{require, Arguments},
};

pub const DISCRIMINATOR: u8 = 2;

#[repr(C)]
struct Args {
    paused: u8,
}

// SAFETY: a byte.
unsafe impl Arguments for Args {}

/// Stops what is new, or lets it start again. Exits never ask.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [authority, config, ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let args = Args::read(data)?;
    require(args.paused <= 1, RelayError::InvalidInstruction)?;

    let settings = Config::load_mut(program_id, config)?;
    settings.require_authority(authority)?;

    settings.set_paused(args.paused == 1);

    PausedSet { discriminator: DISCRIMINATOR, paused: args.paused }.emit();
    Ok(())
}
