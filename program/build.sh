#!/bin/sh
# Builds the program, reproducibly: the same sources and the same tool versions give the same bytes in every folder.
#
#   program/build.sh           builds, writes dist/relay.so and dist/build.json, and prints the SHA-256
#   program/build.sh --check   builds elsewhere and compares with dist/: with the recorded tool versions another hash is an
#                              error; with other versions it says so, keeps the fresh build, and prints its path, so that
#                              the tests can run against it (RELAY_PROGRAM_SO=<path> npx vitest run program/tests)
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd -P)
cargo_home=${CARGO_HOME:-$HOME/.cargo}
cargo=/usr/bin/cargo
rustc=/usr/bin/rustc
target=bpfel-unknown-none
max_bytes=122880
PATH="$cargo_home/bin:$PATH"

fail() {
  echo "program/build.sh: $1" >&2
  exit 1
}

case "${1:-}" in
  '' | --check) ;;
  *) fail "unknown argument $1 (there is only --check)" ;;
esac
[ -x "$rustc" ] && [ -x "$cargo" ] && command -v sbpf-linker >/dev/null 2>&1 ||
  fail 'the toolchain is missing: run program/toolchain.sh'

work=$(mktemp -d)
keep=
trap '[ -n "$keep" ] || rm -rf "$work"' EXIT

# These variables would replace the flags of .cargo/config.toml.
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS CARGO_TARGET_BPFEL_UNKNOWN_NONE_RUSTFLAGS RUSTC_WRAPPER
# Paths are part of panic locations: they are mapped to names that are the same everywhere.
remap="target.$target.rustflags=[\"--remap-path-prefix=$cargo_home=/cargo\",\"--remap-path-prefix=$here=/relay\"]"
(
  cd "$here"
  RUSTC=$rustc "$cargo" build --quiet --release --locked --target "$target" --target-dir "$work/target" --config "$remap"
)
built="$work/target/$target/release/librelay.so"

sha256=$(sha256sum "$built" | cut -d ' ' -f 1)
size=$(wc -c <"$built" | tr -d ' ')
[ "$size" -lt "$max_bytes" ] || fail "the program has $size bytes, the limit is $max_bytes"
rustc_version=$("$rustc" --version | cut -d ' ' -f 2)
llvm_version=$("$rustc" -vV | sed -n 's/^LLVM version: //p')
linker_version=$(sbpf-linker --version | sed -n 's/^sbpf-linker //p')
linker_llvm_version=$(sbpf-linker --version | sed -n 's/^LLVM //p')
record=$(
  cat <<JSON
{
  "sha256": "$sha256",
  "size": $size,
  "rustc": "$rustc_version",
  "llvm": "$llvm_version",
  "linker": "sbpf-linker $linker_version, LLVM $linker_llvm_version"
}
JSON
)

if [ "${1:-}" != --check ]; then
  mkdir -p "$here/dist"
  # Whoever reads the program at this moment gets the former one or this one, never a part.
  cp "$built" "$here/dist/relay.so.new"
  chmod 644 "$here/dist/relay.so.new"
  mv "$here/dist/relay.so.new" "$here/dist/relay.so"
  printf '%s\n' "$record" >"$here/dist/build.json"
  echo "$sha256  program/dist/relay.so ($size bytes)"
  exit 0
fi

recorded=$(cat "$here/dist/build.json") || fail 'program/dist/build.json is missing: run program/build.sh'
recorded_sha256=$(printf '%s' "$recorded" | sed -n 's/.*"sha256": "\(.*\)".*/\1/p')
committed_sha256=$(sha256sum "$here/dist/relay.so" | cut -d ' ' -f 1)
[ "$committed_sha256" = "$recorded_sha256" ] ||
  fail "dist/relay.so has the hash $committed_sha256, dist/build.json says $recorded_sha256: run program/build.sh"

tools() { grep -E '"(rustc|llvm|linker)"'; }
if [ "$(printf '%s\n' "$record" | tools)" = "$(printf '%s\n' "$recorded" | tools)" ]; then
  [ "$sha256" = "$recorded_sha256" ] ||
    fail "the sources build to $sha256, dist/relay.so is $recorded_sha256: run program/build.sh and commit dist/"
  echo "program/dist/relay.so is what the sources build to ($sha256)"
else
  keep=yes
  echo 'The tools here are not the recorded ones, so the hash is not compared:'
  printf '%s\n' "$record" | tools
  echo "Fresh build: $built"
fi
