use pinocchio::{
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};
use solana_address::address_eq;

use crate::{
    close::move_lamports,
    error::RelayError,
    event::Event,
    moving::{Moving, Places},
    rent::Rent,
    stake,
    state::{seeds, Kind, LegStatus, Reputation, Swarm, SOL, U16, U64},
    tokens::{self, Escrow, PAYEE},
    verify::{self, require, Arguments},
};

pub const DISCRIMINATOR: u8 = 25;

#[repr(C)]
struct Args {
    formation: U16,
}

// SAFETY: bytes only.
unsafe impl Arguments for Args {}

/// Takes a leg from its courier: by the courier before its clock is over, and the stake returns; by others from then on,
/// and the stake goes to the vault, of a package for replacements. Open while paused and after the deadline.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [signer, listing, swarm, leg, courier, vault, leg_before, more @ ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let Args { formation } = *Args::read(data)?;

    verify::signer(signer)?;
    verify::writable(courier)?;
    verify::writable(vault)?;
    let mut moving = Moving::load(Places { program_id, listing, swarm, leg }, formation)?;
    let is_of_task = moving.is_of_task();
    if !is_of_task {
        verify::writable(swarm)?;
    }
    verify::address(courier, &moving.leg.worker)?;
    seeds::vault(vault, moving.listing_address, moving.vault_bump, program_id)?;
    let now = Clock::get()?.unix_timestamp;
    let has_stake = !moving.leg.is(LegStatus::Pending);
    let is_free = frees(&moving, program_id, signer.address(), leg_before, now)?;

    let forfeited = if has_stake && !is_free { moving.terms.stake.get() } else { 0 };
    let returned = if has_stake && is_free { moving.terms.stake.get() } else { 0 };
    let (accounts, reputation) = tokens::split(moving.asset, more, PAYEE)?;
    if forfeited > 0 {
        Reputation::count(program_id, courier.address(), moving.turn, reputation.first_mut())?;
    }
    moving.become_status(LegStatus::Vacant, now);
    let (asset, vault_bump) = (moving.asset, moving.vault_bump);
    let event = moving.moved(DISCRIMINATOR, U64::new(forfeited));
    if asset != SOL {
        // What is forfeited is in the vault already.
        let escrow = Escrow { program_id, asset, listing: listing.address(), vault_bump, accounts };
        escrow.pay(vault, &[(courier.address(), returned)])?;
    } else {
        if returned > 0 {
            stake::pay_out(leg, courier, vault, returned, &Rent::get()?)?;
        }
        if forfeited > 0 {
            move_lamports(leg, vault, forfeited)?;
        }
    }
    if forfeited > 0 && !is_of_task {
        let formed = Swarm::load_mut(program_id, swarm)?;
        let total = formed.total_lamports.get().checked_add(forfeited);
        formed.total_lamports.set(total.ok_or(RelayError::ArithmeticOverflow)?);
    }

    event.emit();
    Ok(())
}

/// Whether the courier leaves in time, without losing its stake; an error if the signer may not vacate the leg now.
#[inline(always)]
fn frees(
    moving: &Moving,
    program_id: &Address,
    signer: &Address,
    leg_before: &AccountView,
    now: i64,
) -> Result<bool, RelayError> {
    let leg = &moving.leg;
    let is_worker = address_eq(&leg.worker, signer);
    if leg.is(LegStatus::Carried) {
        // A custodian cannot leave its parcel, and only the lister can know that it is lost.
        require(address_eq(moving.lister, signer), RelayError::Unauthorized)?;
        require(moving.is_overdue(None, now), RelayError::LegInTime)?;
        return Ok(false);
    }
    if leg.is(LegStatus::Pending) {
        require(is_worker || moving.is_overdue(None, now), RelayError::LegInTime)?;
        return Ok(true);
    }
    leg.require(LegStatus::Accepted)?;
    let overdue = moving.is_overdue(moving.claim_before(program_id, leg_before)?, now);
    match (is_worker, overdue) {
        (true, true) => Err(RelayError::LegOverdue),
        (false, false) => Err(RelayError::LegInTime),
        _ => Ok(is_worker),
    }
}
