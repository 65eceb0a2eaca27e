use pinocchio::{
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};
use solana_address::address_eq;

use super::end_of_leg::{payable, Due, EndOfLeg};
use crate::{
    error::{Checked, RelayError},
    event::{Event, LegConfirmed},
    handoff::{Agreement, Handoff, Said},
    rent::Rent,
    stake,
    state::{seeds, Kind, Leg, LegStatus, Package, Reputation, Swarm, SwarmStatus, Turn, SOL, U16, U64},
    tokens::{self, Escrow, PAYEE},
    vault::{self, Signature},
    verify::{self, require, Arguments},
};

pub const DISCRIMINATOR: u8 = 7;

#[repr(C)]
struct Args {
    formation: U16,
}

// SAFETY: bytes only.
unsafe impl Arguments for Args {}

/// Attests a handoff: completes the next leg in order and pays its courier. With terms, also ends a leg whose claim nobody
/// contradicted in time, or that was ruled.
///
/// Without terms there is no check of the deadline: a late delivery may be confirmed until someone reclaims. There is none
/// of the package's status: an active swarm exists only while its package is in transit. Open while paused.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [recipient, package, swarm, leg, vault, courier, reputation, next_leg, system_program, more @ ..] = accounts
    else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let args = Args::read(data)?;

    let agreement = Agreement::of(recipient, more.last())?;
    verify::writable(vault)?;
    verify::system_program(system_program)?;
    let swarm_address = *swarm.address();
    let package_address = *package.address();
    let leg_address = *leg.address();
    let (confirmed, turn) = Leg::load_whole(program_id, leg)?;
    confirmed.hop.require_of(&swarm_address)?;
    let formed = Swarm::load_mut(program_id, swarm)?;
    formed.require_of(package)?;
    formed.require(SwarmStatus::Active)?;
    let (fields, terms) = Package::load_whole_mut(program_id, package)?;
    verify::address(courier, &confirmed.hop.worker)?;
    let earned = Reputation::load_mut(program_id, reputation)?;
    earned.require_of(courier.address())?;
    seeds::vault(vault, &package_address, fields.vault_bump, program_id)?;

    // Legs before this number are completed, the others are not.
    let index = confirmed.hop.index;
    require(index == formed.completed_legs, RelayError::LegOutOfOrder)?;
    let next = next_of(program_id, next_leg, confirmed, formed.total_legs)?;
    let now = Clock::get()?.unix_timestamp;
    let due = match terms {
        Some(terms) => {
            let turn = turn.ok_or(RelayError::InvalidAccountKind)?;
            let end = EndOfLeg {
                signer: recipient.address(),
                now,
                lister: &fields.shipper,
                deadline: fields.deadline.get(),
                terms,
                leg: &confirmed.hop,
                turn,
                payment: confirmed.payment_lamports.get(),
                next: next.map(|(next, _)| &next.hop),
            };
            let due = end.due()?;
            // Who takes over says from whom and as which courier: a replacement of either of the two has a larger number.
            let own = turn.formation.get();
            let number = match next {
                Some((_, turn)) if due.is_taken_over => {
                    own.max(turn.ok_or(RelayError::InvalidAccountKind)?.formation.get())
                }
                _ => own,
            };
            require(number == args.formation.get(), RelayError::FormationMismatch)?;
            due
        }
        None => {
            // Every formation has the same addresses: a confirmation signed for an earlier one must not pay this one.
            require(formed.formation.get() == args.formation.get(), RelayError::FormationMismatch)?;
            let expected = next.map_or(&fields.shipper, |(next, _)| &next.hop.worker);
            require(address_eq(expected, recipient.address()), RelayError::UnauthorizedRecipient)?;
            Due { payment: confirmed.payment_lamports.get(), stake: 0, is_taken_over: false }
        }
    };
    let has_next = next.is_some();
    agreement.require(&Handoff {
        listing: &package_address,
        nonce: &fields.nonce,
        leg: index,
        formation: args.formation,
        said: if has_next { Said::TakenOver } else { Said::Received },
        now,
    })?;
    let (accounts, next_reputation) = tokens::split(fields.asset, more, PAYEE)?;
    let in_tokens = fields.asset != SOL;
    let payment = if in_tokens { due.payment } else { payable(vault, courier, &due, turn.is_some())? };

    let (confirmed, turn) = Leg::load_whole_mut(program_id, leg)?;
    confirmed.complete(now);
    // The count stays below the total, which is at most seven.
    formed.completed_legs += 1;
    let swarm_paid = formed.paid_lamports.get().checked_add(payment);
    formed.paid_lamports.set(swarm_paid.ok_or(RelayError::ArithmeticOverflow)?);
    let package_paid = fields.paid.get().checked_add(payment);
    fields.paid.set(package_paid.ok_or(RelayError::ArithmeticOverflow)?);
    if in_tokens {
        let amount = payment.checked_add(due.stake).ok_or(RelayError::ArithmeticOverflow)?;
        let (asset, vault_bump) = (fields.asset, fields.vault_bump);
        let escrow = Escrow { program_id, asset, listing: &package_address, vault_bump, accounts };
        escrow.pay(vault, &[(courier.address(), amount)])?;
    } else if payment > 0 {
        vault::pay(vault, courier, payment, &Signature { listing: &package_address, bump: &fields.vault_bump })?;
    }
    if let Some(turn) = turn {
        // A parcel that arrived without having been picked up on the ledger.
        if turn.begins_to_count() {
            earned.accept_leg()?;
        }
        turn.since.set(now);
        if has_next {
            begin_turn(program_id, next_leg, due.is_taken_over.then_some(next_reputation), now)?;
        }
        if due.stake > 0 && !in_tokens {
            stake::pay_out(leg, courier, vault, due.stake, &Rent::get()?)?;
        }
    }
    earned.complete_leg()?;

    LegConfirmed {
        discriminator: DISCRIMINATOR,
        swarm: swarm_address,
        leg: leg_address,
        courier: *courier.address(),
        index,
        payment_lamports: U64::new(payment),
    }
    .emit();
    Ok(())
}

/// The leg after this one; none after the final one. The program's own address in its place means that none was given.
#[inline(always)]
fn next_of<'a>(
    program_id: &Address,
    next_leg: &'a AccountView,
    leg: &Leg,
    total_legs: u8,
) -> Result<Option<(&'a Leg, Option<&'a Turn>)>, RelayError> {
    let has_next = !address_eq(next_leg.address(), program_id);
    if leg.hop.index + 1 == total_legs {
        require(!has_next, RelayError::UnexpectedNextLeg)?;
        return Ok(None);
    }
    require(has_next, RelayError::MissingNextLeg)?;
    let (next, turn) = Leg::load_whole(program_id, next_leg)?;
    next.hop.require_of(&leg.hop.parent)?;
    require(next.hop.index == leg.hop.index + 1, RelayError::InvalidAccount)?;
    Ok(Some((next, turn)))
}

/// Now the next courier is to act. Where it has taken the parcel over, its reputation is given and counts the leg.
#[inline(always)]
fn begin_turn(
    program_id: &Address,
    next_leg: &mut AccountView,
    taken_over: Option<&mut [AccountView]>,
    now: i64,
) -> Checked {
    let (next, turn) = Leg::load_whole_mut(program_id, next_leg)?;
    let turn = turn.ok_or(RelayError::InvalidAccountKind)?;
    turn.since.set(now);
    if let Some(reputation) = taken_over {
        next.hop.set_status(LegStatus::Carried);
        Reputation::count(program_id, &next.hop.worker, turn, reputation.first_mut())?;
    }
    Ok(())
}
