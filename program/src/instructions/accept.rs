use pinocchio::{
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};

use crate::{
    error::RelayError,
    event::Event,
    handoff::{Agreement, Handoff, Said},
    moving::{Moving, Places},
    stake,
    state::{LegStatus, Reputation, SOL, U16},
    tokens::{self, Escrow},
    verify::{self, require, Arguments},
};

pub const DISCRIMINATOR: u8 = 24;

#[repr(C)]
struct Args {
    formation: U16,
    take: u8,
}

// SAFETY: bytes only.
unsafe impl Arguments for Args {}

/// Posts the stake of a pending leg, and with `take`, never for a task, picks the parcel up. Open while paused.
///
/// Late, but not yet vacated, is still good: the clock of the leg is not asked.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [courier, listing, swarm, leg, lister, system_program, more @ ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let Args { formation, take } = *Args::read(data)?;
    require(take <= 1, RelayError::InvalidInstruction)?;
    let takes = take == 1;

    verify::writable(courier)?;
    verify::system_program(system_program)?;
    let mut moving = Moving::load(Places { program_id, listing, swarm, leg }, formation)?;
    moving.require_worker(courier)?;
    verify::address(lister, moving.lister)?;
    let now = Clock::get()?.unix_timestamp;
    moving.require_before_deadline(now)?;
    let posts = moving.leg.is(LegStatus::Pending);
    let fits = posts || takes && moving.leg.is(LegStatus::Accepted);
    require(fits, RelayError::InvalidStatus)?;
    let (accounts, reputation) = tokens::split(moving.asset, more, 1)?;
    if takes {
        require(!moving.is_of_task(), RelayError::InvalidInstruction)?;
        moving.require_first()?;
        if moving.leg.index == 0 && moving.terms.lister_signs_pickup() {
            Agreement::of(lister, reputation.last())?.require(&Handoff {
                listing: moving.listing_address,
                nonce: moving.nonce,
                leg: 0,
                formation,
                said: Said::PickedUp,
                now,
            })?;
        }
    }

    if takes {
        Reputation::count(program_id, courier.address(), moving.turn, reputation.first_mut())?;
    }
    moving.become_status(if takes { LegStatus::Carried } else { LegStatus::Accepted }, now);
    let (asset, amount, vault_bump) = (moving.asset, moving.terms.stake.get(), moving.vault_bump);
    let event = moving.moved(DISCRIMINATOR, take);
    if posts {
        if asset == SOL {
            stake::post(courier, leg, amount)?;
        } else {
            Escrow { program_id, asset, listing: listing.address(), vault_bump, accounts }
                .deposit(courier, amount, None)?;
        }
    }

    event.emit();
    Ok(())
}
