use pinocchio::{AccountView, Address, ProgramResult};

use crate::{
    close::close_account,
    error::RelayError,
    event::{Event, TaskLegReleased},
    state::{Config, Kind, LegStatus, Task, TaskLeg, TaskStatus},
    verify::{self, require, Arguments},
};

pub const DISCRIMINATOR: u8 = 18;

#[repr(C)]
struct Args {
    index: u8,
}

// SAFETY: a byte.
unsafe impl Arguments for Args {}

/// Takes a leg that is not completed, with terms a vacant one, from its agent, so that it can be given to another one. What
/// the agent accepted stays counted. Open while paused and after the deadline: it moves nothing but the rent of the leg.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [coordinator, config, task, leg, rent_payer, agent @ ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let Args { index } = *Args::read(data)?;

    verify::signer(coordinator)?;
    let settings = Config::load(program_id, config)?;
    require(settings.is_coordinator(coordinator.address()), RelayError::Unauthorized)?;
    let task_address = *task.address();
    let fields = Task::load_mut(program_id, task)?;
    fields.require(TaskStatus::InProgress)?;
    require(fields.is_assigned(index), RelayError::LegNotAssigned)?;
    // Legs before this number are completed, the others pending.
    require(index >= fields.completed_legs, RelayError::InvalidStatus)?;
    verify::writable(leg)?;
    let (released, turn) = TaskLeg::load_whole(program_id, leg)?;
    released.hop.require_of(&task_address)?;
    require(released.hop.index == index, RelayError::InvalidAccount)?;
    // With terms the agent leaves, or is taken off by the clock, first.
    require(turn.is_none() || released.hop.is(LegStatus::Vacant), RelayError::InvalidStatus)?;
    // A release that is sent again after a fork must not take the leg from another agent.
    if let [agent, ..] = agent {
        verify::address(agent, &released.hop.worker)?;
    }
    verify::address(rent_payer, &released.rent_payer)?;
    verify::payee(rent_payer)?;

    let event = TaskLegReleased {
        discriminator: DISCRIMINATOR,
        task: task_address,
        task_leg: *leg.address(),
        agent: released.hop.worker,
        index,
    };
    fields.release(index);
    close_account(leg, rent_payer)?;
    event.emit();
    Ok(())
}
