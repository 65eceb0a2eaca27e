#!/bin/sh
# Installs what program/build.sh needs on a bare Debian machine; what is there already is skipped.
set -eu

linker_version=0.2.6 # 0.2.2 drops the arguments of syscalls
llvm_prefix=/usr/lib/llvm-22
packages='rustc-web cargo-web libstd-rust-web-dev libstd-rust-web-dev-bpf llvm-22-dev libpolly-22-dev zlib1g-dev libzstd-dev g++'

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

missing=
for package in $packages; do
  installed "$package" || missing="$missing $package"
done
if [ -n "$missing" ]; then
  echo "Installing Debian packages:$missing"
  as_root apt-get update
  # shellcheck disable=SC2086 # one word a package
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
fi

PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
if [ "$(sbpf-linker --version 2>/dev/null | head -n 1)" != "sbpf-linker $linker_version" ]; then
  echo "Installing sbpf-linker $linker_version"
  # The packaged compiler, also where another Rust is first on the PATH.
  RUSTC=/usr/bin/rustc LLVM_PREFIX="$llvm_prefix" /usr/bin/cargo install sbpf-linker --version "$linker_version" --locked --force \
    --no-default-features --features bpf-linker/llvm-22
fi
echo 'The toolchain is complete: program/build.sh builds the program.'
