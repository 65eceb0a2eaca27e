use pinocchio::{no_allocator, nostd_panic_handler, program_entrypoint, AccountView, Address, ProgramResult};

use crate::{error::RelayError, instructions as ix};

/// Accounts an instruction can take: reclaim_package's eight, seven legs, their couriers, three of tokens, two for each of
/// these and for the funder, and one more so that one too many is seen.
const MAX_ACCOUNTS: usize = 42;

program_entrypoint!(process_instruction, MAX_ACCOUNTS);
no_allocator!();
nostd_panic_handler!();

// Inlined, as the instructions are: the target passes at most five arguments.
/// Discriminators 9 and 15 are reserved.
#[inline(always)]
fn process_instruction(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let Some((discriminator, data)) = data.split_first() else {
        return Err(RelayError::InvalidInstruction.into());
    };
    match *discriminator {
        ix::initialize::DISCRIMINATOR => ix::initialize::process(program_id, accounts, data),
        ix::set_coordinator::DISCRIMINATOR => ix::set_coordinator::process(program_id, accounts, data),
        ix::set_paused::DISCRIMINATOR => ix::set_paused::process(program_id, accounts, data),
        ix::list_package::DISCRIMINATOR => ix::list_package::process(program_id, accounts, data),
        ix::cancel_package::DISCRIMINATOR => ix::cancel_package::process(program_id, accounts, data),
        ix::form_swarm::DISCRIMINATOR => ix::form_swarm::process(program_id, accounts, data),
        ix::assign_leg::DISCRIMINATOR => ix::assign_leg::process(program_id, accounts, data),
        ix::confirm_leg::DISCRIMINATOR => ix::confirm_leg::process(program_id, accounts, data),
        ix::settle::DISCRIMINATOR => ix::settle::process(program_id, accounts, data),
        ix::reclaim_package::DISCRIMINATOR => ix::reclaim_package::process(program_id, accounts, data),
        ix::close_package::DISCRIMINATOR => ix::close_package::process(program_id, accounts, data),
        ix::propose_authority::DISCRIMINATOR => ix::propose_authority::process(program_id, accounts, data),
        ix::accept_authority::DISCRIMINATOR => ix::accept_authority::process(program_id, accounts, data),
        ix::open_reputation::DISCRIMINATOR => ix::open_reputation::process(program_id, accounts, data),
        ix::list_task::DISCRIMINATOR => ix::list_task::process(program_id, accounts, data),
        ix::assign_task_leg::DISCRIMINATOR => ix::assign_task_leg::process(program_id, accounts, data),
        ix::release_task_leg::DISCRIMINATOR => ix::release_task_leg::process(program_id, accounts, data),
        ix::confirm_task_leg::DISCRIMINATOR => ix::confirm_task_leg::process(program_id, accounts, data),
        ix::settle_task::DISCRIMINATOR => ix::settle_task::process(program_id, accounts, data),
        ix::cancel_task::DISCRIMINATOR => ix::cancel_task::process(program_id, accounts, data),
        ix::reclaim_task::DISCRIMINATOR => ix::reclaim_task::process(program_id, accounts, data),
        ix::close_task::DISCRIMINATOR => ix::close_task::process(program_id, accounts, data),
        ix::accept::DISCRIMINATOR => ix::accept::process(program_id, accounts, data),
        ix::vacate::DISCRIMINATOR => ix::vacate::process(program_id, accounts, data),
        ix::claim::DISCRIMINATOR => ix::claim::process(program_id, accounts, data),
        ix::dispute::DISCRIMINATOR => ix::dispute::process(program_id, accounts, data),
        ix::rule::DISCRIMINATOR => ix::rule::process(program_id, accounts, data),
        ix::set_asset::DISCRIMINATOR => ix::set_asset::process(program_id, accounts, data),
        ix::collect::DISCRIMINATOR => ix::collect::process(program_id, accounts, data),
        _ => process_seldom(program_id, accounts, &(*discriminator, data)),
    }
}

// Apart, so that it takes no step more to find what is asked often; the target passes at most five arguments.
#[cold]
#[inline(never)]
fn process_seldom(program_id: &Address, accounts: &mut [AccountView], call: &(u8, &[u8])) -> ProgramResult {
    let (discriminator, data) = *call;
    match discriminator {
        ix::set_mandate::DISCRIMINATOR => ix::set_mandate::process(program_id, accounts, data),
        ix::close_mandate::DISCRIMINATOR => ix::close_mandate::process(program_id, accounts, data),
        _ => Err(RelayError::InvalidInstruction.into()),
    }
}
