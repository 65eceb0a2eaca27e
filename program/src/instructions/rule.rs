use pinocchio::{
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};
use solana_address::address_eq;

use crate::{
    error::RelayError,
    event::Event,
    math,
    moving::{Moving, Places},
    rent::Rent,
    stake,
    state::{seeds, Config, Kind, LegStatus, Note, SOL, U16},
    tokens::Escrow,
    verify::{self, require, Arguments},
};

pub const DISCRIMINATOR: u8 = 28;

/// The runtime burns what comes there.
const INCINERATOR: Address = Address::from_str_const("1nc1nerator11111111111111111111111111111111");
/// The worker's part of its payment when the arbiter is silent.
const DEFAULT_PERCENT: u8 = 50;

#[repr(C)]
struct Args {
    formation: U16,
    percent: u8,
}

// SAFETY: bytes only.
unsafe impl Arguments for Args {}

/// Where the stakes of a leg go.
#[derive(Debug, PartialEq)]
struct Shares {
    worker: u64,
    other: u64,
    fee: u64,
}

/// Ends a dispute, or what both sides agree is none. Open while paused and after the deadline.
///
/// Who receives the fee tells which form it is: the incinerator that of anybody after the arbiter's clock, the arbiter its
/// own ruling, or the agreement of lister and worker, which costs no fee.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [signer, worker, other, config, listing, swarm, leg, fee, vault, accounts @ ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let Args { formation, percent } = *Args::read(data)?;

    verify::signer(signer)?;
    for payee in [&*worker, other, fee, vault] {
        verify::writable(payee)?;
    }
    let settings = Config::load(program_id, config)?;
    let mut moving = Moving::load(Places { program_id, listing, swarm, leg }, formation)?;
    verify::address(worker, &moving.leg.worker)?;
    verify::address(other, other_side(&moving))?;
    seeds::vault(vault, moving.listing_address, moving.vault_bump, program_id)?;
    require(percent <= 100, RelayError::InvalidAmount)?;
    let now = Clock::get()?.unix_timestamp;
    let shares = if address_eq(fee.address(), &INCINERATOR) {
        by_default(&moving, percent, now)
    } else {
        verify::address(fee, &moving.terms.arbiter)?;
        if address_eq(signer.address(), fee.address()) {
            ruled(&moving, settings, percent, now)
        } else {
            agreed(&moving, signer, worker)
        }
    }?;

    moving.become_status(if percent == 0 { LegStatus::Vacant } else { LegStatus::Ruled }, now);
    moving.turn.percent = percent;
    let (asset, vault_bump) = (moving.asset, moving.vault_bump);
    let event = moving.moved(DISCRIMINATOR, percent);
    if asset != SOL {
        let escrow = Escrow { program_id, asset, listing: listing.address(), vault_bump, accounts };
        let payees = [(worker.address(), shares.worker), (other.address(), shares.other), (fee.address(), shares.fee)];
        escrow.pay(vault, &payees)?;
    } else {
        let rent = Rent::get()?;
        stake::pay_out(leg, worker, vault, shares.worker, &rent)?;
        stake::pay_out(leg, other, vault, shares.other, &rent)?;
        stake::pay_out(leg, fee, vault, shares.fee, &rent)?;
    }

    event.emit();
    Ok(())
}

/// The disputer; the lister when nobody disputes.
#[inline(always)]
fn other_side<'a>(moving: &'a Moving) -> &'a Address {
    if moving.turn.notes(Note::DisputedByReceiver) {
        &moving.terms.receiver
    } else {
        moving.lister
    }
}

/// The arbiter's ruling, within its clock. Its fee comes out of both stakes, whoever wins, and the rest is divided as the
/// payment will be.
#[inline(always)]
fn ruled(moving: &Moving, config: &Config, percent: u8, now: i64) -> Result<Shares, RelayError> {
    // A leaked coordinator must not judge its own couriers.
    require(!config.is_coordinator(&moving.terms.arbiter), RelayError::Unauthorized)?;
    moving.leg.require(LegStatus::Disputed)?;
    require(!moving.turn.is_over(moving.terms.arbitration, now), RelayError::LegOverdue)?;
    let stake = moving.terms.stake.get();
    let fee = stake / 2;
    let rest = stake.checked_add(stake - fee).ok_or(RelayError::ArithmeticOverflow)?;
    let worker = math::share(rest, percent);
    Ok(Shares { worker, other: rest - worker, fee })
}

/// What the arbiter's silence means. Half the disputer's stake burns: who floods the arbiter with disputes pays for each.
#[inline(always)]
fn by_default(moving: &Moving, percent: u8, now: i64) -> Result<Shares, RelayError> {
    moving.leg.require(LegStatus::Disputed)?;
    require(moving.turn.is_over(moving.terms.arbitration, now), RelayError::LegInTime)?;
    require(percent == DEFAULT_PERCENT, RelayError::InvalidAmount)?;
    let stake = moving.terms.stake.get();
    let fee = stake / 2;
    Ok(Shares { worker: stake, other: stake - fee, fee })
}

/// Lister and worker agree: everybody takes back what it posted.
#[inline(always)]
fn agreed(moving: &Moving, signer: &AccountView, worker: &AccountView) -> Result<Shares, RelayError> {
    require(address_eq(moving.lister, signer.address()), RelayError::Unauthorized)?;
    verify::signer(worker)?;
    let is_disputed = moving.leg.is(LegStatus::Disputed);
    let open = is_disputed || moving.leg.is(LegStatus::Carried) || moving.leg.is(LegStatus::Claimed);
    require(open, RelayError::InvalidStatus)?;
    let stake = moving.terms.stake.get();
    Ok(Shares { worker: stake, other: if is_disputed { stake } else { 0 }, fee: 0 })
}
