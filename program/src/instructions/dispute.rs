use pinocchio::{
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};
use solana_address::address_eq;

use crate::{
    error::RelayError,
    event::Event,
    moving::{Moving, Places},
    stake,
    state::{LegStatus, Note, SOL, U16},
    tokens::Escrow,
    verify::{self, require, Arguments},
};

pub const DISCRIMINATOR: u8 = 27;

#[repr(C)]
struct Args {
    formation: U16,
    reason_hash: [u8; 32],
}

// SAFETY: bytes only.
unsafe impl Arguments for Args {}

/// Contradicts a claim, with a stake as large as the courier's; the hash of the reason stays in the transaction. Open while
/// paused and after the deadline.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [signer, listing, swarm, leg, system_program, accounts @ ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let Args { formation, reason_hash } = *Args::read(data)?;

    verify::signer(signer)?;
    verify::writable(signer)?;
    verify::system_program(system_program)?;
    let mut moving = Moving::load(Places { program_id, listing, swarm, leg }, formation)?;
    let disputer = disputer(&moving, signer.address())?;
    moving.leg.require(LegStatus::Claimed)?;
    let now = Clock::get()?.unix_timestamp;
    require(!moving.turn.is_over(moving.terms.review, now), RelayError::ReviewOver)?;

    moving.become_status(LegStatus::Disputed, now);
    moving.turn.set_note(disputer);
    let (asset, amount, vault_bump) = (moving.asset, moving.terms.stake.get(), moving.vault_bump);
    let event = moving.moved(DISCRIMINATOR, reason_hash);
    if asset == SOL {
        stake::post(signer, leg, amount)?;
    } else {
        Escrow { program_id, asset, listing: listing.address(), vault_bump, accounts }.deposit(signer, amount, None)?;
    }

    event.emit();
    Ok(())
}

#[inline(always)]
fn disputer(moving: &Moving, signer: &Address) -> Result<Note, RelayError> {
    if address_eq(moving.lister, signer) {
        return Ok(Note::DisputedByLister);
    }
    require(moving.terms.is_receiver(signer), RelayError::Unauthorized)?;
    Ok(Note::DisputedByReceiver)
}
