//! Multiplications that are known not to overflow. The target has no 128-bit arithmetic, which is what the compiler makes
//! of an overflow-checked 64-bit product; checked additions and subtractions are fine as they are.

const LIMB_BITS: u32 = 32;
const LIMB_MASK: u64 = u32::MAX as u64;

/// `a * b`, or `None` when the product does not fit 64 bits.
#[inline(always)]
pub fn checked_mul(a: u64, b: u32) -> Option<u64> {
    let b = b as u64;
    // A product of two 32-bit limbs always fits 64 bits.
    let low = (a & LIMB_MASK).wrapping_mul(b);
    let high = (a >> LIMB_BITS).wrapping_mul(b);
    if high > LIMB_MASK {
        return None;
    }
    (high << LIMB_BITS).checked_add(low)
}

/// `floor(completed * 100 / accepted)`; 0 when nothing was accepted. `completed` is at most `accepted`.
#[inline(always)]
pub fn reliability_score(completed: u64, accepted: u64) -> Option<u8> {
    if accepted == 0 {
        return Some(0);
    }
    let score = checked_mul(completed, 100)? / accepted;
    (score <= 100).then_some(score as u8)
}

/// `floor(amount * percent / 100)` of at most 100 percent, which always fits.
#[inline(always)]
pub fn share(amount: u64, percent: u8) -> u64 {
    let percent = percent as u64;
    (amount / 100).wrapping_mul(percent).wrapping_add((amount % 100).wrapping_mul(percent) / 100)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;

    /// Numbers around every power of two, where carries and overflows happen.
    fn edges() -> impl Iterator<Item = u64> {
        (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1]).chain([u64::MAX, u64::MAX - 1])
    }

    /// A linear congruential sequence: arbitrary, and the same in every run.
    fn arbitrary(count: usize) -> impl Iterator<Item = u64> {
        let mut state = 0x5eed_u64;
        (0..count).map(move |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state
        })
    }

    #[test]
    fn the_product_is_the_one_of_the_standard_library() {
        for a in edges().chain(arbitrary(2_000)) {
            for b in edges().chain(arbitrary(20)).map(|b| b as u32) {
                assert_eq!(checked_mul(a, b), a.checked_mul(b as u64), "{a} * {b}");
            }
        }
    }

    #[test]
    fn the_score_is_the_floor_of_the_percentage() {
        assert_eq!(reliability_score(0, 0), Some(0));
        for accepted in 1..300u64 {
            for completed in 0..=accepted {
                assert_eq!(reliability_score(completed, accepted), Some((completed * 100 / accepted) as u8));
            }
        }
    }

    #[test]
    fn a_share_is_the_floor_of_the_exact_one() {
        for amount in edges().chain(arbitrary(2_000)) {
            for percent in 0..=100u8 {
                let exact = amount as u128 * percent as u128 / 100;
                assert_eq!(share(amount, percent) as u128, exact, "{percent} % of {amount}");
            }
        }
    }

    #[test]
    fn a_score_that_does_not_fit_is_none() {
        assert_eq!(reliability_score(u64::MAX, u64::MAX), None);
        assert_eq!(reliability_score(2, 1), None);
    }
}
