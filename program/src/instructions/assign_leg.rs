use pinocchio::{
    cpi::Seed,
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};
use solana_address::address_eq;

use super::replacement::{Assignment, Replacement};
use crate::{
    cpi::Creator,
    error::{Checked, RelayError},
    event::{Event, LegAssigned},
    rent::Rent,
    state::{
        seeds, Config, Counting, Kind, Leg, Package, PackageStatus, Reputation, Swarm, SwarmStatus, Terms, Turn,
        Version, U64,
    },
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

/// Gives the next leg of a forming swarm to a courier; the last one makes the swarm active. With terms, also gives a vacant
/// leg of an active swarm to another courier.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [coordinator, config, package, swarm, system_program, leg, courier, reputation, neighbours @ ..] = accounts
    else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let (args, later) = Args::read_with_tail(data)?;

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
    let (fields, terms) = Package::load_whole_mut(program_id, package)?;
    let counting = Counting::said(later, terms.is_some())?;
    let is_next = formed.is(SwarmStatus::Forming);
    require(is_next || terms.is_some(), RelayError::InvalidStatus)?;
    require(args.payment_lamports.get() > 0, RelayError::InvalidAmount)?;
    require_courier(courier, settings, fields, terms.as_deref())?;

    let creator = Creator { program_id, payer: coordinator, rent: Rent::get()?, deposit: 0 };
    let Args { index, payment_lamports } = *args;
    let assignment =
        Assignment { courier: courier.address(), index, payment_lamports, swarm: &swarm_address, counting };
    if is_next {
        assignment.create(&creator, leg, formed, fields, Version::of(terms))?;
    } else {
        let now = Clock::get()?.unix_timestamp;
        Replacement { program_id, assignment, leg: &mut *leg, neighbours, formed, package: fields, now }.give()?;
    }
    Reputation::load_or_create(&creator, courier.address(), reputation)?.assign_leg(counting)?;

    LegAssigned {
        discriminator: DISCRIMINATOR,
        swarm: swarm_address,
        leg: *leg.address(),
        courier: *courier.address(),
        index: args.index,
        payment_lamports: args.payment_lamports,
    }
    .emit();
    Ok(())
}

impl Assignment<'_> {
    /// Creates the next leg of a forming swarm.
    ///
    /// There is no check of the deadline: a swarm formed in time may be completed, and reclaim is open from the deadline on.
    #[inline(always)]
    fn create(
        &self,
        creator: &Creator,
        leg: &mut AccountView,
        formed: &mut Swarm,
        package: &mut Package,
        version: Version,
    ) -> ProgramResult {
        let Self { index, payment_lamports, .. } = self;
        require(*index == formed.assigned_legs, RelayError::LegOutOfOrder)?;
        let assigned = assigned_after(formed, payment_lamports.get())?;
        require(!address_eq(self.courier, &formed.last_courier), RelayError::DuplicateCourier)?;
        let leg_seeds: &[&[u8]; 3] = &[seeds::LEG, self.swarm.as_ref(), &[*index]];
        let bump = seeds::canonical(leg, leg_seeds, creator.program_id)?;

        let signer_seeds = [
            Seed::from(seeds::LEG),
            Seed::from(self.swarm.as_ref()),
            Seed::from(core::slice::from_ref(index)),
            Seed::from(core::slice::from_ref(&bump)),
        ];
        creator.create::<Leg>(leg, version, &signer_seeds)?;
        // SAFETY: created above.
        let (created, turn) = unsafe { Leg::begin(leg, bump) };
        created.hop.index = *index;
        created.hop.parent = *self.swarm;
        created.hop.worker = *self.courier;
        created.payment_lamports = *payment_lamports;
        if let Some(turn) = turn {
            *turn = Turn::begin(Clock::get()?.unix_timestamp, formed.formation, self.counting);
        }
        // The count stays below the total, which is at most seven.
        formed.assigned_legs += 1;
        formed.assigned_lamports.set(assigned);
        formed.last_courier = *self.courier;
        if formed.assigned_legs == formed.total_legs {
            formed.become_active();
            package.become_status(PackageStatus::InTransit);
        }
        Ok(())
    }
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

/// The courier is a wallet that has no other part in the delivery.
#[inline(always)]
fn require_courier(courier: &AccountView, config: &Config, package: &Package, terms: Option<&Terms>) -> Checked {
    verify::wallet(courier, RelayError::InvalidCourier)?;
    let address = courier.address();
    let has_other_role = address_eq(&package.shipper, address)
        || config.is_coordinator(address)
        || terms.is_some_and(|terms| terms.names(address));
    require(!has_other_role, RelayError::SelfDealing)
}
