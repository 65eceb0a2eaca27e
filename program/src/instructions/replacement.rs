//! Another courier for a vacant leg.
use pinocchio::{AccountView, Address};
use solana_address::address_eq;

use crate::{
    error::{Checked, RelayError},
    state::{Counting, Kind, Leg, LegStatus, Package, Swarm, Turn, U64},
    verify::{self, require},
};

/// Who carries which leg for how much.
pub struct Assignment<'a> {
    pub courier: &'a Address,
    pub swarm: &'a Address,
    pub index: u8,
    pub payment_lamports: U64,
    pub counting: Counting,
}

/// The vacant leg of a swarm with terms, and who shall have it.
pub struct Replacement<'a> {
    pub program_id: &'a Address,
    pub assignment: Assignment<'a>,
    pub leg: &'a mut AccountView,
    /// The legs before and after.
    pub neighbours: &'a [AccountView],
    pub formed: &'a mut Swarm,
    pub package: &'a mut Package,
    pub now: i64,
}

impl Replacement<'_> {
    /// Gives the leg to the courier, with a number that nothing fits that was signed for a former one.
    // Not inlined, because it must not make formations dearer.
    #[inline(never)]
    pub fn give(self) -> Checked {
        self.require_apart()?;
        let Self { program_id, assignment, leg, formed, package, now, .. } = self;
        require(now < package.deadline.get(), RelayError::DeadlinePassed)?;
        let (vacant, turn) = Leg::load_whole_mut(program_id, leg)?;
        vacant.hop.require_of(assignment.swarm)?;
        require(vacant.hop.index == assignment.index, RelayError::InvalidAccount)?;
        vacant.hop.require(LegStatus::Vacant)?;
        let assigned = formed
            .assigned_lamports
            .get()
            .checked_sub(vacant.payment_lamports.get())
            .and_then(|others| others.checked_add(assignment.payment_lamports.get()))
            .filter(|sum| *sum <= formed.total_lamports.get())
            .ok_or(RelayError::BudgetExceeded)?;
        let formation = package.formation.get().checked_add(1).ok_or(RelayError::ArithmeticOverflow)?;

        package.formation.set(formation);
        formed.formation.set(formation);
        formed.assigned_lamports.set(assigned);
        vacant.hop.set_status(LegStatus::Pending);
        vacant.hop.worker = *assignment.courier;
        vacant.payment_lamports = assignment.payment_lamports;
        if let Some(turn) = turn {
            *turn = Turn::begin(now, package.formation, assignment.counting);
        }
        Ok(())
    }

    /// The courier has neither the leg before nor the one after.
    #[inline(always)]
    fn require_apart(&self) -> Checked {
        let [before, after, ..] = self.neighbours else {
            return Err(RelayError::NotEnoughAccounts);
        };
        let index = self.assignment.index;
        self.require_beside(before, index.checked_sub(1))?;
        self.require_beside(after, (index + 1 < self.formed.total_legs).then_some(index + 1))
    }

    /// The account is the swarm's leg of this index, and not the courier's. The program's own address stands for no leg.
    #[inline(never)]
    fn require_beside(&self, account: &AccountView, index: Option<u8>) -> Checked {
        let Some(index) = index else {
            return verify::address(account, self.program_id);
        };
        let Assignment { courier, swarm, .. } = self.assignment;
        let Leg { hop, .. } = Leg::load(self.program_id, account)?;
        hop.require_of(swarm)?;
        require(hop.index == index, RelayError::InvalidAccount)?;
        // The courier that a vacant leg still names has left it.
        let is_apart = hop.is(LegStatus::Vacant) || !address_eq(&hop.worker, courier);
        require(is_apart, RelayError::DuplicateCourier)
    }
}
