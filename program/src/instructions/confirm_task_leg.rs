use pinocchio::{
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};

use crate::{
    error::RelayError,
    event::{Event, TaskLegConfirmed},
    state::{seeds, Config, Kind, Reputation, Task, TaskLeg, TaskStatus},
    vault::{self, Signature},
    verify::{self, require, Arguments},
};

pub const DISCRIMINATOR: u8 = 19;

#[repr(C)]
struct Args {
    index: u8,
    result_hash: [u8; 32],
}

// SAFETY: bytes only.
unsafe impl Arguments for Args {}

/// Attests a result: completes the next leg in order and pays its agent.
///
/// There is no check of the deadline: a late result may be confirmed until someone reclaims. Not open while paused: a
/// coordinator whose key leaked could confirm anything.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [coordinator, config, task, leg, vault, agent, reputation, system_program, ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let Args { index, result_hash } = Args::read(data)?;

    verify::signer(coordinator)?;
    verify::writable(vault)?;
    verify::system_program(system_program)?;
    let settings = Config::load(program_id, config)?;
    require(settings.is_coordinator(coordinator.address()), RelayError::Unauthorized)?;
    settings.require_running()?;
    let task_address = *task.address();
    let leg_address = *leg.address();
    let fields = Task::load_mut(program_id, task)?;
    fields.require(TaskStatus::InProgress)?;
    // Legs before this number are completed, the others pending: their own status needs no check.
    require(*index == fields.completed_legs, RelayError::LegOutOfOrder)?;
    require(fields.is_assigned(*index), RelayError::LegNotAssigned)?;
    let confirmed = TaskLeg::load_mut(program_id, leg)?;
    confirmed.require_of(&task_address)?;
    require(confirmed.index == *index, RelayError::InvalidAccount)?;
    // A confirmation signed for an agent that was replaced since must not pay the new one.
    verify::address(agent, &confirmed.agent)?;
    let earned = Reputation::load_mut(program_id, reputation)?;
    earned.require_of(agent.address())?;
    seeds::vault(vault, &task_address, fields.vault_bump, program_id)?;
    let payment_lamports = confirmed.payment_lamports;
    let payment = payment_lamports.get();
    vault::require_payable(vault, agent, payment, 0)?;

    confirmed.complete(result_hash, Clock::get()?.unix_timestamp);
    // The count stays below the number of legs, which is at most four.
    fields.completed_legs += 1;
    let paid = fields.paid.get().checked_add(payment);
    fields.paid.set(paid.ok_or(RelayError::ArithmeticOverflow)?);
    vault::pay(vault, agent, payment, &Signature { listing: &task_address, bump: &fields.vault_bump })?;
    earned.complete_leg()?;

    TaskLegConfirmed {
        discriminator: DISCRIMINATOR,
        task: task_address,
        task_leg: leg_address,
        agent: *agent.address(),
        index: *index,
        payment_lamports,
        result_hash: *result_hash,
    }
    .emit();
    Ok(())
}
