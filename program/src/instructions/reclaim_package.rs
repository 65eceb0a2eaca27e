use pinocchio::{
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};

use super::close_swarm::{close, Accounts};
use crate::{
    error::RelayError,
    state::{Config, Kind, Listing, Package, PackageStatus, Swarm},
    verify::{require, Arguments},
};

pub const DISCRIMINATOR: u8 = 10;

/// Ends a package that was not delivered in time, or whose swarm was left forming. Open while paused.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let accounts = Accounts::checked(accounts)?;
    <()>::read(data)?;

    let settings = Config::load(program_id, accounts.config)?;
    let package = Package::load(program_id, accounts.package)?;
    package.require_party(accounts.signer.address(), settings)?;
    let forming = package.is(PackageStatus::Forming);
    require(forming || package.is(PackageStatus::InTransit), RelayError::InvalidStatus)?;
    // No courier relies on a swarm that is forming, and only the coordinator could complete it: nobody must wait for that.
    let at_once = forming && !settings.is_coordinator(accounts.signer.address());
    let now = Clock::get()?.unix_timestamp;
    require(at_once || now >= package.deadline.get(), RelayError::DeadlineNotReached)?;
    let swarm = Swarm::load(program_id, accounts.swarm)?;
    swarm.require_of(accounts.package)?;
    require(!swarm.is_complete(), RelayError::LegsComplete)?;

    close(program_id, accounts, PackageStatus::Reclaimed, DISCRIMINATOR)
}
