use pinocchio::{cpi::Seed, AccountView, Address, ProgramResult};

use crate::{
    cpi::Creator,
    error::RelayError,
    event::{Event, MandateSet},
    rent::Rent,
    state::{seeds, Kind, Limits, Mandate, Version},
    verify::{self, owned_by, require, Arguments},
};

pub const DISCRIMINATOR: u8 = 31;

/// Lets a delegate list with an owner's money, or bounds it anew. What is spent within the period stays spent. Open while paused.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [owner, delegate, mandate, system_program, ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let limits = *Limits::read(data)?;

    verify::signer(owner)?;
    verify::writable(owner)?;
    verify::writable(mandate)?;
    verify::system_program(system_program)?;
    // Else each listing would begin a period.
    require(limits.period.get() > 0, RelayError::InvalidAmount)?;
    let number = core::slice::from_ref(&limits.asset);
    let words: &[&[u8]; 4] = &[seeds::MANDATE, owner.address().as_ref(), delegate.address().as_ref(), number];
    let bump = seeds::canonical(mandate, words, program_id)?;
    if !owned_by(mandate, program_id) {
        let [word, owned_by, given_to, number] = words.map(Seed::from);
        let signer_seeds = [word, owned_by, given_to, number, Seed::from(core::slice::from_ref(&bump))];
        let creator = Creator { program_id, payer: owner, rent: Rent::get()?, deposit: 0 };
        creator.create::<Mandate>(mandate, Version::Plain, &signer_seeds)?;
        // SAFETY: created above.
        let (fields, _) = unsafe { Mandate::begin(mandate, bump) };
        fields.owner = *owner.address();
        fields.delegate = *delegate.address();
    }
    // The address says whose it is.
    Mandate::load_mut(program_id, mandate)?.limits = limits;

    MandateSet {
        discriminator: DISCRIMINATOR,
        mandate: *mandate.address(),
        owner: *owner.address(),
        delegate: *delegate.address(),
        limits,
    }
    .emit();
    Ok(())
}
