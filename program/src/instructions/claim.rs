use pinocchio::{
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};

use crate::{
    error::RelayError,
    event::Event,
    moving::{Moving, Places},
    state::{LegStatus, Reputation, U16},
    verify::Arguments,
};

pub const DISCRIMINATOR: u8 = 26;

#[repr(C)]
struct Args {
    formation: U16,
    evidence_hash: [u8; 32],
}

// SAFETY: bytes only.
unsafe impl Arguments for Args {}

/// Says that the leg is done. The hash of the evidence stays in the transaction, that of a task's result on its leg. Who is
/// silent until the review is over agrees. Open while paused.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [courier, listing, swarm, leg, reputation @ ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let Args { formation, evidence_hash } = *Args::read(data)?;

    let mut moving = Moving::load(Places { program_id, listing, swarm, leg }, formation)?;
    moving.require_worker(courier)?;
    moving.require_first()?;
    moving.leg.require(if moving.is_of_task() { LegStatus::Accepted } else { LegStatus::Carried })?;
    let now = Clock::get()?.unix_timestamp;
    moving.require_before_deadline(now)?;

    Reputation::count(program_id, courier.address(), moving.turn, reputation.first_mut())?;
    moving.become_status(LegStatus::Claimed, now);
    if let Some(result_hash) = &mut moving.result_hash {
        **result_hash = evidence_hash;
    }

    moving.moved(DISCRIMINATOR, evidence_hash).emit();
    Ok(())
}
