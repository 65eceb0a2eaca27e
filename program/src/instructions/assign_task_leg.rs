use pinocchio::{
    cpi::Seed,
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};
use solana_address::address_eq;

use crate::{
    cpi::Creator,
    error::{Checked, RelayError},
    event::{Event, TaskLegAssigned},
    rent::Rent,
    state::{seeds, Config, Counting, Kind, Reputation, Task, TaskLeg, TaskStatus, Terms, Turn, Version, U64},
    verify::{self, require, Arguments},
};

pub const DISCRIMINATOR: u8 = 17;

#[repr(C)]
struct Args {
    index: u8,
}

// SAFETY: a byte.
unsafe impl Arguments for Args {}

/// Gives a leg of a task to an agent. Without terms legs may be assigned in any order, with them only the one whose turn it
/// is; at any time before the deadline: after it an agent could only lose.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [coordinator, config, task, system_program, leg, agent, reputation, ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let (&Args { index }, later) = Args::read_with_tail(data)?;

    verify::signer(coordinator)?;
    verify::writable(coordinator)?;
    verify::writable(leg)?;
    verify::writable(reputation)?;
    verify::system_program(system_program)?;
    let settings = Config::load(program_id, config)?;
    require(settings.is_coordinator(coordinator.address()), RelayError::Unauthorized)?;
    settings.require_running()?;
    let task_address = *task.address();
    let (fields, terms) = Task::load_whole_mut(program_id, task)?;
    let open = fields.is(TaskStatus::Listed) || fields.is(TaskStatus::InProgress);
    require(open, RelayError::InvalidStatus)?;
    let now = Clock::get()?.unix_timestamp;
    require(now < fields.deadline.get(), RelayError::DeadlinePassed)?;
    require(index < fields.num_legs, RelayError::InvalidLegCount)?;
    require(!fields.is_assigned(index), RelayError::LegAlreadyAssigned)?;
    require(terms.is_none() || index == fields.completed_legs, RelayError::LegOutOfOrder)?;
    require_agent(agent, fields, settings, terms.as_deref())?;
    let counting = Counting::said(later, terms.is_some())?;
    let leg_seeds: &[&[u8]; 3] = &[seeds::TASK_LEG, task_address.as_ref(), &[index]];
    let leg_bump = seeds::canonical(leg, leg_seeds, program_id)?;

    let creator = Creator { program_id, payer: coordinator, rent: Rent::get()?, deposit: 0 };
    let signer_seeds = [
        Seed::from(seeds::TASK_LEG),
        Seed::from(task_address.as_ref()),
        Seed::from(core::slice::from_ref(&index)),
        Seed::from(core::slice::from_ref(&leg_bump)),
    ];
    creator.create::<TaskLeg>(leg, Version::of(terms), &signer_seeds)?;
    Reputation::load_or_create(&creator, agent.address(), reputation)?.assign_leg(counting)?;
    let leg_address = *leg.address();
    let payment_lamports = U64::new(Task::payment(fields.max_budget.get(), fields.num_legs));
    // SAFETY: created above.
    let (created, turn) = unsafe { TaskLeg::begin(leg, leg_bump) };
    created.hop.index = index;
    created.hop.parent = task_address;
    created.hop.worker = *agent.address();
    created.rent_payer = *coordinator.address();
    created.payment_lamports = payment_lamports;
    fields.assign(index, agent.address());
    if let Some(turn) = turn {
        // What was signed for a former agent of the leg, or as one, fits no more.
        let formation = fields.formation.get().checked_add(1).ok_or(RelayError::ArithmeticOverflow)?;
        fields.formation.set(formation);
        *turn = Turn::begin(now, fields.formation, counting);
    }

    TaskLegAssigned {
        discriminator: DISCRIMINATOR,
        task: task_address,
        task_leg: leg_address,
        agent: *agent.address(),
        index,
        payment_lamports,
    }
    .emit();
    Ok(())
}

#[inline(always)]
fn require_agent(agent: &AccountView, task: &Task, config: &Config, terms: Option<&Terms>) -> Checked {
    verify::wallet(agent, RelayError::InvalidAgent)?;
    let address = agent.address();
    require(!task.has_agent(address), RelayError::DuplicateAgent)?;
    let has_other_role = address_eq(&task.poster, address)
        || config.is_coordinator(address)
        || terms.is_some_and(|terms| terms.names(address));
    require(!has_other_role, RelayError::SelfDealing)
}
