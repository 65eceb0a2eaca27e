use pinocchio::{AccountView, Address, ProgramResult};

use crate::{
    error::RelayError,
    event::{AuthorityAccepted, Event},
    state::{require_two_roles, Config, Kind},
    verify::Arguments,
};

pub const DISCRIMINATOR: u8 = 13;

/// Takes the cold role over, by the key that was proposed.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [proposed, config, ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    <()>::read(data)?;

    let settings = Config::load_mut(program_id, config)?;
    settings.require_proposed(proposed)?;
    // It may have become the coordinator since it was proposed.
    require_two_roles(proposed.address(), &settings.coordinator)?;

    settings.authority = *proposed.address();
    settings.withdraw_proposal();

    AuthorityAccepted { discriminator: DISCRIMINATOR, authority: settings.authority }.emit();
    Ok(())
}
