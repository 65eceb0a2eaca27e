use pinocchio::{AccountView, Address, ProgramResult};

use super::listing::{open, Offer, Opened};
use crate::{
    error::RelayError,
    event::{Event, PackageListed},
    state::{Package, I64, U64},
    verify::{require, Arguments},
};

pub const DISCRIMINATOR: u8 = 3;

#[repr(C)]
struct Args {
    package_id: [u8; 16],
    max_budget: U64,
    deadline: I64,
    terms_hash: [u8; 32],
}

// SAFETY: bytes only.
unsafe impl Arguments for Args {}

/// Lists a package and locks its budget in a vault.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let (args, terms) = Args::read_with_tail(data)?;
    require(args.max_budget.get() > 0, RelayError::InvalidAmount)?;

    let offer = Offer { id: &args.package_id, max_budget: args.max_budget, deadline: args.deadline, terms };
    open::<Package>(program_id, accounts, &offer, |opened| {
        let Opened { fields, address, vault_bump, lister, funder, now, nonce } = opened;
        fields.vault_bump = vault_bump;
        fields.package_id = args.package_id;
        fields.shipper = *lister;
        fields.funder = *funder;
        fields.max_budget = args.max_budget;
        fields.listed_at.set(now);
        fields.deadline = args.deadline;
        fields.terms_hash = args.terms_hash;
        fields.nonce = nonce;

        PackageListed {
            discriminator: DISCRIMINATOR,
            package: address,
            shipper: fields.shipper,
            funder: fields.funder,
            max_budget: args.max_budget,
            deadline: args.deadline,
            terms_hash: args.terms_hash,
        }
        .emit();
    })
}
