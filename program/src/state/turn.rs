use super::{I64, U16, U32};
use crate::{
    error::RelayError,
    verify::{require, Arguments},
};

/// What a leg notes of what happened to it. Before it is counted nobody can dispute it, so one note is enough.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Note {
    Nothing,
    DisputedByLister,
    DisputedByReceiver,
    /// Its worker's reputation does not count it yet.
    NotCounted,
}

/// From when on a reputation counts a leg as accepted. `Later`: from when on its worker has the parcel, has claimed its
/// result, or has lost its stake.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    AtOnce,
    Later,
}

/// What an assignment says after its other arguments, if its leg is to be counted later.
#[repr(C)]
pub struct CountedLater(u8);

// SAFETY: a byte.
unsafe impl Arguments for CountedLater {}

impl Counting {
    /// What an assignment says. Only with terms is there a later: without them nobody accepts.
    #[inline(always)]
    pub fn said(later: Option<&CountedLater>, has_terms: bool) -> Result<Self, RelayError> {
        let Some(CountedLater(said)) = later else { return Ok(Self::AtOnce) };
        require(*said == 1 && has_terms, RelayError::InvalidInstruction)?;
        Ok(Self::Later)
    }
}

/// Where a leg with terms stands. Its stakes lie in its account above the rent: one while it is accepted, carried or
/// claimed, two while it is disputed.
#[repr(C)]
pub struct Turn {
    /// Unix seconds of the last change of status, or of the coming of its turn.
    pub since: I64,
    /// Tells this courier of the leg from every other one.
    pub formation: U16,
    note: u8,
    /// Share of the payment by the ruling; 0: not ruled.
    pub percent: u8,
}

impl Turn {
    /// The turn of a courier that has just got the leg.
    #[inline(always)]
    pub fn begin(now: i64, formation: U16, counting: Counting) -> Self {
        let note = if counting == Counting::Later { Note::NotCounted } else { Note::Nothing };
        Self { since: I64::new(now), formation, note: note as u8, percent: 0 }
    }

    /// Whether a clock of so many seconds that began with the status is over.
    #[inline(always)]
    pub fn is_over(&self, clock: U32, now: i64) -> bool {
        is_over(self.since.get(), clock, now)
    }

    #[inline(always)]
    pub fn set_note(&mut self, note: Note) {
        self.note = note as u8;
    }

    #[inline(always)]
    pub fn notes(&self, note: Note) -> bool {
        self.note == note as u8
    }

    /// Whether the leg is to be counted now; from then on it is.
    #[inline(always)]
    pub fn begins_to_count(&mut self) -> bool {
        let begins = self.notes(Note::NotCounted);
        if begins {
            self.set_note(Note::Nothing);
        }
        begins
    }
}

/// Before the clock only its owner may act, from that second on others may.
#[inline(always)]
pub fn is_over(since: i64, clock: U32, now: i64) -> bool {
    now >= since.saturating_add(clock.get() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_over_from_its_last_second_on() {
        let clock = U32::new(300);
        assert!(!is_over(1_000, clock, 1_299));
        assert!(is_over(1_000, clock, 1_300));
        assert!(!is_over(i64::MAX, clock, i64::MAX - 1));
    }
}
