//! The compiler's memory functions by the runtime's own, which cost less than loops compiled into the program.
use pinocchio::syscalls::{sol_memcmp_, sol_memcpy_, sol_memmove_, sol_memset_};

#[no_mangle]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, length: usize) -> *mut u8 {
    sol_memcpy_(to, from, length as u64);
    to
}

#[no_mangle]
unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, length: usize) -> *mut u8 {
    sol_memmove_(to, from, length as u64);
    to
}

#[no_mangle]
unsafe extern "C" fn memset(to: *mut u8, value: i32, length: usize) -> *mut u8 {
    sol_memset_(to, value as u8, length as u64);
    to
}

#[no_mangle]
unsafe extern "C" fn memcmp(left: *const u8, right: *const u8, length: usize) -> i32 {
    let mut result = 0;
    sol_memcmp_(left, right, length as u64, &mut result);
    result
}

#[no_mangle]
unsafe extern "C" fn bcmp(left: *const u8, right: *const u8, length: usize) -> i32 {
    memcmp(left, right, length)
}
