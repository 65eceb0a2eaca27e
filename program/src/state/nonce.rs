/// Tells a listing from one at the same address on another cluster; all zero: listed before there were nonces.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Nonce([u8; 8]);

impl Nonce {
    #[inline(always)]
    pub const fn new(bytes: [u8; 8]) -> Self {
        Self(bytes)
    }

    #[inline(always)]
    pub fn bytes(&self) -> &[u8; 8] {
        &self.0
    }

    #[inline(always)]
    pub fn is_none(&self) -> bool {
        u64::from_le_bytes(self.0) == 0
    }
}
