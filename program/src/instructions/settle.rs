use pinocchio::{AccountView, Address, ProgramResult};

use super::close_swarm::{close, Accounts};
use crate::{
    error::RelayError,
    state::{Config, Kind, Listing, Package, PackageStatus, Swarm},
    verify::{require, Arguments},
};

pub const DISCRIMINATOR: u8 = 8;

/// Ends a delivered package. Open while paused.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let accounts = Accounts::checked(accounts)?;
    <()>::read(data)?;

    let settings = Config::load(program_id, accounts.config)?;
    let package = Package::load(program_id, accounts.package)?;
    package.require_manager(accounts.signer.address(), settings, &accounts.behind(program_id))?;
    package.require(PackageStatus::InTransit)?;
    let swarm = Swarm::load(program_id, accounts.swarm)?;
    swarm.require_of(accounts.package)?;
    require(swarm.is_complete(), RelayError::LegsIncomplete)?;

    close(program_id, accounts, PackageStatus::Delivered, DISCRIMINATOR)
}
