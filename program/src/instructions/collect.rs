use pinocchio::{
    cpi::{Seed, Signer},
    AccountView, Address, ProgramResult,
};
use solana_address::address_eq;

use crate::{
    error::RelayError,
    event::{Collected, Event},
    state::{seeds, U64},
    tokens::{self, associated, locker, Call, TOKEN_PROGRAM},
    verify::{self, require, Arguments},
};

pub const DISCRIMINATOR: u8 = 30;

/// Gives a wallet what waits in its locker: by anybody to its associated token account, with its signature to any. Open
/// while paused.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [wallet, keeper, from, to, token_program, ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    <()>::read(data)?;

    verify::address(token_program, &TOKEN_PROGRAM)?;
    verify::writable(from)?;
    verify::writable(to)?;
    let (address, bump) = locker(wallet.address(), program_id)?;
    verify::address(keeper, &address)?;
    let held = tokens::fields(from)?;
    let (mint, amount) = (*held.mint(), held.amount());
    require(address_eq(held.owner(), &address), RelayError::InvalidAccount)?;
    require(amount > 0, RelayError::InvalidAmount)?;
    if !wallet.is_signer() {
        verify::address(to, &associated(wallet.address(), &mint)?)?;
        require(tokens::can_receive(to, wallet.address()), RelayError::PayeeCannotReceive)?;
    }

    let seeds =
        [Seed::from(seeds::LOCKER), Seed::from(wallet.address().as_ref()), Seed::from(core::slice::from_ref(&bump))];
    Call { from, to, by: keeper, amount: Some(amount) }.sign(&[Signer::from(&seeds[..])])?;

    Collected { discriminator: DISCRIMINATOR, wallet: *wallet.address(), mint, amount: U64::new(amount) }.emit();
    Ok(())
}
