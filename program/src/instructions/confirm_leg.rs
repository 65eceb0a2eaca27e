use pinocchio::{
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};
use solana_address::address_eq;

use crate::{
    error::{Checked, RelayError},
    event::{Event, LegConfirmed},
    state::{seeds, Kind, Leg, Package, Reputation, Swarm, SwarmStatus, U16},
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

/// Attests a handoff: completes the next leg in order and pays its courier.
///
/// There is no check of the deadline: a late delivery may be confirmed until someone reclaims. There is none of the
/// package's status either: an active swarm exists only while its package is in transit. Open while paused.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [recipient, package, swarm, leg, vault, courier, reputation, next_leg, system_program, ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let args = Args::read(data)?;

    verify::signer(recipient)?;
    verify::writable(vault)?;
    verify::system_program(system_program)?;
    let swarm_address = *swarm.address();
    let package_address = *package.address();
    let leg_address = *leg.address();
    let confirmed = Leg::load(program_id, leg)?;
    confirmed.require_of(swarm)?;
    let formed = Swarm::load_mut(program_id, swarm)?;
    formed.require_of(package)?;
    formed.require(SwarmStatus::Active)?;
    // Every formation has the same addresses: a confirmation signed for an earlier one must not pay this one.
    require(formed.formation.get() == args.formation.get(), RelayError::FormationMismatch)?;
    let fields = Package::load_mut(program_id, package)?;
    verify::address(courier, &confirmed.courier)?;
    let earned = Reputation::load_mut(program_id, reputation)?;
    earned.require_of(courier.address())?;
    seeds::vault(vault, &package_address, fields.vault_bump, program_id)?;

    // Legs before this number are completed, the others pending: their own status needs no check.
    let index = confirmed.index;
    require(index == formed.completed_legs, RelayError::LegOutOfOrder)?;
    require_recipient(program_id, recipient, next_leg, index, &swarm_address, formed, fields)?;

    let payment_lamports = confirmed.payment_lamports;
    let payment = payment_lamports.get();
    vault::require_payable(vault, courier, payment)?;

    Leg::load_mut(program_id, leg)?.complete(Clock::get()?.unix_timestamp);
    // The count stays below the total, which is at most seven.
    formed.completed_legs += 1;
    let swarm_paid = formed.paid_lamports.get().checked_add(payment);
    formed.paid_lamports.set(swarm_paid.ok_or(RelayError::ArithmeticOverflow)?);
    let package_paid = fields.paid.get().checked_add(payment);
    fields.paid.set(package_paid.ok_or(RelayError::ArithmeticOverflow)?);
    vault::pay(vault, courier, payment, &Signature { listing: &package_address, bump: &fields.vault_bump })?;
    earned.complete_leg()?;

    LegConfirmed {
        discriminator: DISCRIMINATOR,
        swarm: swarm_address,
        leg: leg_address,
        courier: *courier.address(),
        index,
        payment_lamports,
    }
    .emit();
    Ok(())
}

/// The shipper receives the final leg, the next courier every other one. The program's own address in place of the next
/// leg means that none was given.
#[inline(always)]
fn require_recipient(
    program_id: &Address,
    recipient: &AccountView,
    next_leg: &AccountView,
    index: u8,
    swarm: &Address,
    formed: &Swarm,
    package: &Package,
) -> Checked {
    let has_next = !address_eq(next_leg.address(), program_id);
    if index + 1 == formed.total_legs {
        require(!has_next, RelayError::UnexpectedNextLeg)?;
        let is_shipper = address_eq(&package.shipper, recipient.address());
        return require(is_shipper, RelayError::UnauthorizedRecipient);
    }
    require(has_next, RelayError::MissingNextLeg)?;
    let next = Leg::load(program_id, next_leg)?;
    let follows = address_eq(&next.swarm, swarm) && next.index == index + 1;
    require(follows, RelayError::InvalidAccount)?;
    let is_next_courier = address_eq(&next.courier, recipient.address());
    require(is_next_courier, RelayError::UnauthorizedRecipient)
}
