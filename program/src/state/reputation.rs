use pinocchio::{cpi::Seed, error::ProgramError, AccountView, Address};
use solana_address::address_eq;

use super::{seeds, Counting, Header, Kind, Turn, Version, U64};
use crate::{
    cpi::Creator,
    error::{Checked, RelayError},
    math,
    verify::{owned_by, require},
};

/// What an agent accepted and completed, of packages and of tasks.
#[repr(C)]
pub struct Reputation {
    header: Header,
    reliability_score: u8,
    agent: Address,
    legs_accepted: U64,
    legs_completed: U64,
}

// SAFETY: bytes only, header first.
unsafe impl Kind for Reputation {
    type Tail = ();
    const KIND: u8 = 5;

    #[inline(always)]
    fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }
}

impl Reputation {
    // Neither is inlined, because several instructions need them.
    /// The agent's reputation, created when missing.
    #[inline(never)]
    pub fn load_or_create<'a>(
        creator: &Creator,
        agent: &Address,
        account: &'a mut AccountView,
    ) -> Result<&'a mut Self, ProgramError> {
        let program_id = creator.program_id;
        if owned_by(account, program_id) {
            let fields = Self::load_mut(program_id, account)?;
            fields.require_of(agent)?;
            return Ok(fields);
        }
        Self::create(creator, agent, account)
    }

    /// The agent's reputation, with nothing counted. There must be none.
    #[inline(never)]
    pub fn create<'a>(
        creator: &Creator,
        agent: &Address,
        account: &'a mut AccountView,
    ) -> Result<&'a mut Self, ProgramError> {
        let bump = seeds::canonical(account, &[seeds::REPUTATION, agent.as_ref()], creator.program_id)?;
        let signer_seeds =
            [Seed::from(seeds::REPUTATION), Seed::from(agent.as_ref()), Seed::from(core::slice::from_ref(&bump))];
        creator.create::<Self>(account, Version::Plain, &signer_seeds)?;
        // SAFETY: created above.
        let (fields, _) = unsafe { Self::begin(account, bump) };
        fields.agent = *agent;
        Ok(fields)
    }

    /// Counts a leg with terms as accepted by its worker, if it is not counted yet: from when on the worker has the parcel, has
    /// claimed its result, or has lost its stake. What others do before that costs it nothing.
    // Not inlined, because several moves count.
    #[inline(never)]
    pub fn count(
        program_id: &Address,
        worker: &Address,
        turn: &mut Turn,
        account: Option<&mut AccountView>,
    ) -> Checked {
        if !turn.begins_to_count() {
            return Ok(());
        }
        let fields = Self::load_mut(program_id, account.ok_or(RelayError::NotEnoughAccounts)?)?;
        fields.require_of(worker)?;
        fields.accept_leg()
    }

    #[inline(always)]
    pub fn require_of(&self, agent: &Address) -> Checked {
        require(address_eq(&self.agent, agent), RelayError::InvalidAccount)
    }

    /// A leg was given to the agent.
    #[inline(always)]
    pub fn assign_leg(&mut self, counting: Counting) -> Checked {
        if counting == Counting::Later {
            return Ok(());
        }
        self.accept_leg()
    }

    #[inline(always)]
    pub fn accept_leg(&mut self) -> Checked {
        self.legs_accepted.set(one_more(&self.legs_accepted)?);
        self.score()
    }

    #[inline(always)]
    pub fn complete_leg(&mut self) -> Checked {
        self.legs_completed.set(one_more(&self.legs_completed)?);
        self.score()
    }

    #[inline(always)]
    fn score(&mut self) -> Checked {
        self.reliability_score = math::reliability_score(self.legs_completed.get(), self.legs_accepted.get())
            .ok_or(RelayError::ArithmeticOverflow)?;
        Ok(())
    }
}

#[inline(always)]
fn one_more(number: &U64) -> Result<u64, RelayError> {
    number.get().checked_add(1).ok_or(RelayError::ArithmeticOverflow)
}
