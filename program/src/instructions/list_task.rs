use pinocchio::{AccountView, Address, ProgramResult};

use super::listing::{open, Offer, Opened};
use crate::{
    error::RelayError,
    event::{Event, TaskListed},
    state::{Task, I64, U64},
    verify::{require, Arguments},
};

pub const DISCRIMINATOR: u8 = 16;

#[repr(C)]
struct Args {
    task_id: [u8; 16],
    num_legs: u8,
    max_budget: U64,
    deadline: I64,
    terms_hash: [u8; 32],
}

// SAFETY: bytes only.
unsafe impl Arguments for Args {}

/// Lists a task and locks its budget in a vault.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let (args, terms) = Args::read_with_tail(data)?;
    let legs_allowed = args.num_legs >= 1 && args.num_legs <= Task::MAX_LEGS;
    require(legs_allowed, RelayError::InvalidLegCount)?;
    require(Task::payment(args.max_budget.get(), args.num_legs) > 0, RelayError::InvalidAmount)?;

    let offer = Offer { id: &args.task_id, max_budget: args.max_budget, deadline: args.deadline, terms };
    open::<Task>(program_id, accounts, &offer, |opened| {
        let Opened { fields, address, vault_bump, lister, funder, now, nonce } = opened;
        fields.vault_bump = vault_bump;
        fields.num_legs = args.num_legs;
        fields.task_id = args.task_id;
        fields.poster = *lister;
        fields.funder = *funder;
        fields.max_budget = args.max_budget;
        fields.listed_at.set(now);
        fields.deadline = args.deadline;
        fields.terms_hash = args.terms_hash;
        fields.nonce = nonce;

        TaskListed {
            discriminator: DISCRIMINATOR,
            task: address,
            poster: fields.poster,
            funder: fields.funder,
            num_legs: args.num_legs,
            max_budget: args.max_budget,
            deadline: args.deadline,
            terms_hash: args.terms_hash,
        }
        .emit();
    })
}
