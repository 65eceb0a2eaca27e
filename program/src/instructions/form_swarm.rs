use pinocchio::{
    cpi::Seed,
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};

use crate::{
    cpi::Creator,
    error::RelayError,
    event::{Event, SwarmFormed},
    rent::Rent,
    state::{seeds, Config, Kind, Package, PackageStatus, Swarm, Version, U64},
    verify::{self, require, Arguments},
};

pub const DISCRIMINATOR: u8 = 5;

#[repr(C)]
struct Args {
    total_legs: u8,
    total_lamports: U64,
}

// SAFETY: bytes only.
unsafe impl Arguments for Args {}

/// Opens the swarm of a listed package.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [coordinator, config, package, swarm, system_program, ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let args = Args::read(data)?;

    verify::signer(coordinator)?;
    verify::writable(coordinator)?;
    verify::writable(swarm)?;
    verify::system_program(system_program)?;
    let settings = Config::load(program_id, config)?;
    require(settings.is_coordinator(coordinator.address()), RelayError::Unauthorized)?;
    settings.require_running()?;
    let package_address = *package.address();
    let fields = Package::load_mut(program_id, package)?;
    fields.require(PackageStatus::Listed)?;
    let now = Clock::get()?.unix_timestamp;
    require(now < fields.deadline.get(), RelayError::DeadlinePassed)?;
    let legs_allowed = args.total_legs >= 1 && args.total_legs <= Swarm::MAX_LEGS;
    require(legs_allowed, RelayError::InvalidLegCount)?;
    let total = args.total_lamports.get();
    require(total > 0, RelayError::InvalidAmount)?;
    require(total <= fields.max_budget.get(), RelayError::BudgetExceeded)?;
    // A formation number never comes back, or an old confirmation could pay a later swarm.
    let formation = fields.formation.get().checked_add(1).ok_or(RelayError::ArithmeticOverflow)?;
    let swarm_seeds: &[&[u8]; 2] = &[seeds::SWARM, package_address.as_ref()];
    let bump = seeds::canonical(swarm, swarm_seeds, program_id)?;

    let signer_seeds =
        [Seed::from(seeds::SWARM), Seed::from(package_address.as_ref()), Seed::from(core::slice::from_ref(&bump))];
    let creator = Creator { program_id, payer: coordinator, rent: Rent::get()?, deposit: 0 };
    creator.create::<Swarm>(swarm, Version::Plain, &signer_seeds)?;
    fields.become_status(PackageStatus::Forming);
    fields.formation.set(formation);
    let swarm_address = *swarm.address();
    // SAFETY: created above.
    let (formed, _) = unsafe { Swarm::begin(swarm, bump) };
    formed.formation.set(formation);
    formed.total_legs = args.total_legs;
    formed.package = package_address;
    formed.rent_payer = *coordinator.address();
    formed.total_lamports = args.total_lamports;

    SwarmFormed {
        discriminator: DISCRIMINATOR,
        package: package_address,
        swarm: swarm_address,
        formation: formed.formation,
        total_legs: args.total_legs,
        total_lamports: args.total_lamports,
    }
    .emit();
    Ok(())
}
