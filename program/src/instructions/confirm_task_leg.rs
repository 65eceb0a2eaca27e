use pinocchio::{
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};

use super::end_of_leg::{payable, Due, EndOfLeg};
use crate::{
    error::RelayError,
    event::{Event, TaskLegConfirmed},
    handoff::{Agreement, Handoff, Said},
    rent::Rent,
    stake,
    state::{seeds, Config, Kind, Reputation, Task, TaskLeg, TaskStatus, SOL, U64},
    tokens::{self, Escrow, PAYEE},
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

/// Attests a result: completes the next leg in order and pays its agent. With terms the coordinator attests nothing: poster or
/// receiver confirms what was claimed, anyone what nobody contradicted in time or what was ruled.
///
/// There is no check of the deadline: a late result may be confirmed until someone reclaims. Not open while paused without
/// terms: a coordinator whose key leaked could confirm anything.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [signer, config, task, leg, vault, agent, reputation, system_program, more @ ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let Args { index, result_hash } = Args::read(data)?;

    let agreement = Agreement::of(signer, more.last())?;
    verify::writable(vault)?;
    verify::system_program(system_program)?;
    let settings = Config::load(program_id, config)?;
    let task_address = *task.address();
    let leg_address = *leg.address();
    let (fields, terms) = Task::load_whole_mut(program_id, task)?;
    if terms.is_none() {
        verify::signer(signer)?;
        require(settings.is_coordinator(signer.address()), RelayError::Unauthorized)?;
        settings.require_running()?;
    }
    fields.require(TaskStatus::InProgress)?;
    // Legs before this number are completed, the others are not.
    require(*index == fields.completed_legs, RelayError::LegOutOfOrder)?;
    require(fields.is_assigned(*index), RelayError::LegNotAssigned)?;
    let (confirmed, turn) = TaskLeg::load_whole_mut(program_id, leg)?;
    confirmed.hop.require_of(&task_address)?;
    require(confirmed.hop.index == *index, RelayError::InvalidAccount)?;
    // A confirmation signed for an agent that was replaced since must not pay the new one.
    verify::address(agent, &confirmed.hop.worker)?;
    let earned = Reputation::load_mut(program_id, reputation)?;
    earned.require_of(agent.address())?;
    seeds::vault(vault, &task_address, fields.vault_bump, program_id)?;
    let now = Clock::get()?.unix_timestamp;
    let agreed = confirmed.payment_lamports.get();
    let due = match &terms {
        Some(terms) => {
            let turn = turn.as_deref().ok_or(RelayError::InvalidAccountKind)?;
            // An agent of a task claims first: nobody else can say what the result is.
            require(confirmed.hop.is_claimed_or_judged(), RelayError::InvalidStatus)?;
            require(confirmed.result_hash == *result_hash, RelayError::FormationMismatch)?;
            agreement.require(&Handoff {
                listing: &task_address,
                nonce: &fields.nonce,
                leg: *index,
                formation: turn.formation,
                said: Said::Accepted(result_hash),
                now,
            })?;
            let end = EndOfLeg {
                signer: signer.address(),
                now,
                lister: &fields.poster,
                deadline: fields.deadline.get(),
                terms,
                leg: &confirmed.hop,
                turn,
                payment: agreed,
                next: None,
            };
            end.due()?
        }
        // Legs that are not completed are pending: their own status needs no check.
        None => Due { payment: agreed, stake: 0, is_taken_over: false },
    };
    let in_tokens = fields.asset != SOL;
    let payment = if in_tokens { due.payment } else { payable(vault, agent, &due, terms.is_some())? };

    confirmed.complete(result_hash, now);
    // The count stays below the number of legs, which is at most four.
    fields.completed_legs += 1;
    let paid = fields.paid.get().checked_add(payment);
    fields.paid.set(paid.ok_or(RelayError::ArithmeticOverflow)?);
    if in_tokens {
        let (accounts, _) = tokens::split(fields.asset, more, PAYEE)?;
        let amount = payment.checked_add(due.stake).ok_or(RelayError::ArithmeticOverflow)?;
        let (asset, vault_bump) = (fields.asset, fields.vault_bump);
        let escrow = Escrow { program_id, asset, listing: &task_address, vault_bump, accounts };
        escrow.pay(vault, &[(agent.address(), amount)])?;
    } else if payment > 0 {
        vault::pay(vault, agent, payment, &Signature { listing: &task_address, bump: &fields.vault_bump })?;
    }
    earned.complete_leg()?;
    if let Some(turn) = turn {
        turn.since.set(now);
        if due.stake > 0 && !in_tokens {
            stake::pay_out(leg, agent, vault, due.stake, &Rent::get()?)?;
        }
    }

    TaskLegConfirmed {
        discriminator: DISCRIMINATOR,
        task: task_address,
        task_leg: leg_address,
        agent: *agent.address(),
        index: *index,
        payment_lamports: U64::new(payment),
        result_hash: *result_hash,
    }
    .emit();
    Ok(())
}
