/// A number stored little-endian without alignment.
macro_rules! number {
    ($name:ident, $number:ty) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $name([u8; size_of::<$number>()]);

        // Some are only ever read.
        #[allow(dead_code)]
        impl $name {
            #[inline(always)]
            pub const fn new(value: $number) -> Self {
                Self(value.to_le_bytes())
            }

            #[inline(always)]
            pub const fn get(&self) -> $number {
                <$number>::from_le_bytes(self.0)
            }

            #[inline(always)]
            pub fn set(&mut self, value: $number) {
                *self = Self::new(value);
            }
        }
    };
}

number!(U16, u16);
number!(U32, u32);
number!(U64, u64);
number!(I64, i64);
