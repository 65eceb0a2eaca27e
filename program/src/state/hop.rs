use pinocchio::Address;

use super::{Kind, Turn};
use crate::{
    error::{Checked, RelayError},
    verify::require,
};

/// Statuses of a leg, of a package or of a task. Without terms there are the first two only.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum LegStatus {
    Pending,
    Completed,
    Accepted,
    Carried,
    Claimed,
    Disputed,
    Ruled,
    Vacant,
}

/// A leg of a package or of a task.
pub trait Hop: Kind<Tail = Turn> {
    /// The swarm or the task.
    fn parent(&self) -> &Address;

    fn index(&self) -> u8;

    /// Its courier or agent.
    fn worker(&self) -> &Address;

    fn status(&self) -> u8;

    fn set_status(&mut self, status: LegStatus);

    #[inline(always)]
    fn is(&self, status: LegStatus) -> bool {
        self.status() == status as u8
    }

    #[inline(always)]
    fn require(&self, status: LegStatus) -> Checked {
        require(self.is(status), RelayError::InvalidStatus)
    }
}
