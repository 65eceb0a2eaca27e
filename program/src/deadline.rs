//! How far ahead the deadline of what is listed may lie.
use crate::{
    error::{Checked, RelayError},
    verify::require,
};

const MIN_SECONDS_AHEAD: i64 = 10 * 60;
const MAX_SECONDS_AHEAD: i64 = 180 * 24 * 60 * 60;

#[inline(always)]
pub fn require_ahead(now: i64, deadline: i64) -> Checked {
    let ahead = deadline.checked_sub(now).ok_or(RelayError::InvalidDeadline)?;
    let allowed = (MIN_SECONDS_AHEAD..=MAX_SECONDS_AHEAD).contains(&ahead);
    require(allowed, RelayError::InvalidDeadline)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000;

    #[test]
    fn a_deadline_lies_ten_minutes_to_180_days_ahead() {
        assert!(require_ahead(NOW, NOW + 600).is_ok());
        assert!(require_ahead(NOW, NOW + 15_552_000).is_ok());
        for deadline in [NOW + 599, NOW + 15_552_001, NOW, 0, -1, i64::MIN, i64::MAX] {
            assert_eq!(require_ahead(NOW, deadline), Err(RelayError::InvalidDeadline));
        }
    }
}
