use super::{I64, U16, U32};

/// Who disputed a claim.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Disputer {
    Nobody,
    Lister,
    Receiver,
}

/// Where a leg with terms stands. Its stakes lie in its account above the rent: one while it is accepted, carried or
/// claimed, two while it is disputed.
#[repr(C)]
pub struct Turn {
    /// Unix seconds of the last change of status, or of the coming of its turn.
    pub since: I64,
    /// Tells this courier of the leg from every other one.
    pub formation: U16,
    disputer: u8,
    /// Share of the payment by the ruling; 0: not ruled.
    pub percent: u8,
}

impl Turn {
    /// The turn of a courier that has just got the leg.
    #[inline(always)]
    pub fn begin(now: i64, formation: U16) -> Self {
        Self { since: I64::new(now), formation, disputer: Disputer::Nobody as u8, percent: 0 }
    }

    /// Whether a clock of so many seconds that began with the status is over.
    #[inline(always)]
    pub fn is_over(&self, clock: U32, now: i64) -> bool {
        is_over(self.since.get(), clock, now)
    }

    #[inline(always)]
    pub fn set_disputer(&mut self, disputer: Disputer) {
        self.disputer = disputer as u8;
    }

    #[inline(always)]
    pub fn is_disputed_by(&self, disputer: Disputer) -> bool {
        self.disputer == disputer as u8
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
