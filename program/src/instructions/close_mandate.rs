use pinocchio::{cpi::Signer, AccountView, Address, ProgramResult};
use solana_address::address_eq;

use crate::{
    close::close_account,
    error::RelayError,
    event::{Event, MandateClosed},
    state::{Kind, Mandate, U64},
    tokens::{self, Call, TOKEN_PROGRAM},
    verify::{self, require, Arguments},
};

pub const DISCRIMINATOR: u8 = 32;

/// Gives everything of a mandate to its owner and ends it, with the token accounts that are named. Whatever comes to its address
/// later is the owner's again who makes it again. Open while paused.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [owner, mandate, token_program_and_accounts @ ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    <()>::read(data)?;

    verify::signer(owner)?;
    verify::writable(owner)?;
    verify::writable(mandate)?;
    let fields = Mandate::load(program_id, mandate)?;
    require(address_eq(&fields.owner, owner.address()), RelayError::Unauthorized)?;
    let delegate = fields.delegate;
    if let [token_program, accounts @ ..] = token_program_and_accounts {
        verify::address(token_program, &TOKEN_PROGRAM)?;
        let seeds = fields.seeds();
        let signers = [Signer::from(&seeds[..])];
        let (pairs, rest) = accounts.as_chunks::<2>();
        require(rest.is_empty(), RelayError::MissingTokenAccount)?;
        for [from, to] in pairs {
            verify::writable(from)?;
            verify::writable(to)?;
            let held = tokens::fields(from)?;
            require(address_eq(held.owner(), mandate.address()), RelayError::InvalidAccount)?;
            let amount = Some(held.amount());
            Call { from, to, by: mandate, amount }.sign(&signers)?;
            Call { from, to: owner, by: mandate, amount: None }.sign(&signers)?;
        }
    }
    let lamports = U64::new(mandate.lamports());
    let event = MandateClosed {
        discriminator: DISCRIMINATOR,
        mandate: *mandate.address(),
        owner: *owner.address(),
        delegate,
        lamports,
    };
    close_account(mandate, owner)?;

    event.emit();
    Ok(())
}
