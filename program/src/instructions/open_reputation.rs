use pinocchio::{AccountView, Address, ProgramResult};

use crate::{
    cpi::Creator,
    error::RelayError,
    event::{Event, ReputationOpened},
    rent::Rent,
    state::Reputation,
    verify::{self, Arguments},
};

pub const DISCRIMINATOR: u8 = 14;

/// Creates an agent's reputation with nothing counted, at the cost of anybody: assigning the agent a leg then takes no rent
/// for it. Open while paused: nothing of the escrow's moves.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [payer, agent, reputation, system_program, ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    <()>::read(data)?;

    verify::signer(payer)?;
    verify::writable(payer)?;
    verify::writable(reputation)?;
    verify::system_program(system_program)?;
    verify::wallet(agent, RelayError::InvalidAgent)?;

    let creator = Creator { program_id, payer, rent: Rent::get()?, deposit: 0 };
    Reputation::create(&creator, agent.address(), reputation)?;

    ReputationOpened { discriminator: DISCRIMINATOR, agent: *agent.address(), payer: *payer.address() }.emit();
    Ok(())
}
