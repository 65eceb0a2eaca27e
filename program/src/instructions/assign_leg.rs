use pinocchio::{
    cpi::Seed,
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};
use solana_address::address_eq;

use crate::{
    cpi::Creator,
    error::{Checked, RelayError},
    event::{Event, LegAssigned},
    rent::Rent,
    state::{seeds, Config, Kind, Leg, Package, PackageStatus, Reputation, Swarm, SwarmStatus, Version, U64},
    verify::{self, require, Arguments},
};

pub const DISCRIMINATOR: u8 = 6;

#[repr(C)]
struct Args {
    index: u8,
    payment_lamports: U64,
}

// SAFETY: bytes only.
unsafe impl Arguments for Args {}

/// Gives the next leg of a forming swarm to a courier. The last one makes the swarm active.
///
/// There is no check of the deadline: a swarm formed in time may be completed, and reclaim is open from the deadline on.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [coordinator, config, package, swarm, system_program, leg, courier, reputation, ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let args = Args::read(data)?;

    verify::signer(coordinator)?;
    verify::writable(coordinator)?;
    verify::writable(leg)?;
    verify::writable(reputation)?;
    verify::system_program(system_program)?;
    let settings = Config::load(program_id, config)?;
    require(settings.is_coordinator(coordinator.address()), RelayError::Unauthorized)?;
    settings.require_running()?;
    let swarm_address = *swarm.address();
    let formed = Swarm::load_mut(program_id, swarm)?;
    formed.require_of(package)?;
    formed.require(SwarmStatus::Forming)?;
    let (fields, terms) = Package::load_whole_mut(program_id, package)?;
    require(args.index == formed.assigned_legs, RelayError::LegOutOfOrder)?;
    let payment = args.payment_lamports.get();
    require(payment > 0, RelayError::InvalidAmount)?;
    let assigned = assigned_after(formed, payment)?;
    require_courier(courier, formed, settings, fields)?;
    let leg_seeds: &[&[u8]; 3] = &[seeds::LEG, swarm_address.as_ref(), &[args.index]];
    let leg_bump = seeds::canonical(leg, leg_seeds, program_id)?;

    let creator = Creator { program_id, payer: coordinator, rent: Rent::get()?, deposit: 0 };
    let signer_seeds = [
        Seed::from(seeds::LEG),
        Seed::from(swarm_address.as_ref()),
        Seed::from(core::slice::from_ref(&args.index)),
        Seed::from(core::slice::from_ref(&leg_bump)),
    ];
    creator.create::<Leg>(leg, Version::of(terms.as_ref()), &signer_seeds)?;
    Reputation::load_or_create(&creator, courier.address(), reputation)?.accept_leg()?;
    let leg_address = *leg.address();
    // SAFETY: created above.
    let (created, turn) = unsafe { Leg::begin(leg, leg_bump) };
    created.index = args.index;
    created.swarm = swarm_address;
    created.courier = *courier.address();
    created.payment_lamports = args.payment_lamports;
    if let Some(turn) = turn {
        turn.since.set(Clock::get()?.unix_timestamp);
        turn.formation = formed.formation;
    }
    // The count stays below the total, which is at most seven.
    formed.assigned_legs += 1;
    formed.assigned_lamports.set(assigned);
    formed.last_courier = *courier.address();
    if formed.assigned_legs == formed.total_legs {
        formed.become_active();
        fields.become_status(PackageStatus::InTransit);
    }

    LegAssigned {
        discriminator: DISCRIMINATOR,
        swarm: swarm_address,
        leg: leg_address,
        courier: *courier.address(),
        index: args.index,
        payment_lamports: args.payment_lamports,
    }
    .emit();
    Ok(())
}

/// What is assigned with this payment: never more than the swarm's total, and exactly that with the last leg.
#[inline(always)]
fn assigned_after(swarm: &Swarm, payment: u64) -> Result<u64, RelayError> {
    let total = swarm.total_lamports.get();
    let assigned = swarm
        .assigned_lamports
        .get()
        .checked_add(payment)
        .filter(|sum| *sum <= total)
        .ok_or(RelayError::BudgetExceeded)?;
    let is_last = swarm.assigned_legs + 1 == swarm.total_legs;
    require(!is_last || assigned == total, RelayError::TotalMismatch)?;
    Ok(assigned)
}

#[inline(always)]
fn require_courier(courier: &AccountView, swarm: &Swarm, config: &Config, package: &Package) -> Checked {
    verify::wallet(courier, RelayError::InvalidCourier)?;
    let address = courier.address();
    require(!address_eq(address, &swarm.last_courier), RelayError::DuplicateCourier)?;
    let has_other_role = address_eq(&package.shipper, address) || config.is_coordinator(address);
    require(!has_other_role, RelayError::SelfDealing)
}
