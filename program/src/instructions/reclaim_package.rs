use pinocchio::{
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};

use super::close_swarm::{close, Accounts};
use crate::{
    error::RelayError,
    state::{Config, Hop, Kind, Leg, LegStatus, Listing, Package, PackageStatus, Swarm},
    verify::{require, Arguments},
};

pub const DISCRIMINATOR: u8 = 10;

/// Ends a package that was not delivered in time, or whose swarm was left forming; with terms, also one of which nothing was
/// picked up. Open while paused.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let accounts = Accounts::checked(accounts)?;
    <()>::read(data)?;

    let settings = Config::load(program_id, accounts.config)?;
    let (package, terms) = Package::load_whole(program_id, accounts.package)?;
    package.require_party(accounts.signer.address(), settings, &accounts.behind(program_id))?;
    let forming = package.is(PackageStatus::Forming);
    require(forming || package.is(PackageStatus::InTransit), RelayError::InvalidStatus)?;
    let swarm = Swarm::load(program_id, accounts.swarm)?;
    swarm.require_of(accounts.package)?;
    let first = if terms.is_some() && !forming { first_open_leg(program_id, &accounts, swarm)? } else { None };
    // Nobody has the parcel yet, and only the coordinator could complete a swarm that is forming: no need to wait.
    let is_untouched = forming || first.is_some_and(|leg| leg.index == 0 && !is_under_way(leg));
    let at_once = is_untouched && !settings.is_coordinator(accounts.signer.address());
    let now = Clock::get()?.unix_timestamp;
    require(at_once || now >= package.deadline.get(), RelayError::DeadlineNotReached)?;
    require(!swarm.is_complete(), RelayError::LegsComplete)?;
    // A claim is paid or ruled first. Anybody can bring that about once its clock ends, the funder too.
    require(!first.is_some_and(Hop::is_claimed_or_judged), RelayError::ClaimPending)?;

    close(program_id, accounts, PackageStatus::Reclaimed, DISCRIMINATOR)
}

/// The first leg that is not completed; none when all are. It may be another swarm's, which [`close`] refuses.
#[inline(always)]
fn first_open_leg<'a>(
    program_id: &Address,
    accounts: &'a Accounts,
    swarm: &Swarm,
) -> Result<Option<&'a Hop>, RelayError> {
    if swarm.is_complete() {
        return Ok(None);
    }
    let leg = accounts.leg(swarm.completed_legs).ok_or(RelayError::InvalidLegCount)?;
    Ok(Some(&Leg::load(program_id, leg)?.hop))
}

/// Its courier has picked the parcel up, and is not yet paid.
#[inline(always)]
fn is_under_way(leg: &Hop) -> bool {
    leg.is(LegStatus::Carried) || leg.is_claimed_or_judged()
}
