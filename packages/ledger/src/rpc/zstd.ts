import * as zlib from 'node:zlib';

type Compress = (data: Uint8Array) => Buffer;

/** Node has zstd from 22.15 on. */
const native = (zlib as { readonly zstdCompressSync?: Compress }).zstdCompressSync;

/** Data as a zstd frame: compressed where Node can, else in uncompressed blocks, which every reader accepts. */
export function zstdFrame(data: Uint8Array): Buffer {
  return native === undefined ? storedFrame(data) : native(data);
}

const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** Frame header descriptor: one segment, its size in eight bytes, no checksum. */
const DESCRIPTOR = Buffer.from([0xe0]);
const MAX_BLOCK_BYTES = 128 * 1024;

/** A zstd frame (RFC 8878) of raw blocks. */
export function storedFrame(data: Uint8Array): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(data.length));
  const parts: Uint8Array[] = [MAGIC, DESCRIPTOR, size];
  let offset = 0;
  do {
    const block = data.subarray(offset, offset + MAX_BLOCK_BYTES);
    offset += block.length;
    const isLast = offset === data.length;
    const header = Buffer.alloc(3);
    header.writeUIntLE((block.length << 3) | (isLast ? 1 : 0), 0, 3);
    parts.push(header, block);
  } while (offset < data.length);
  return Buffer.concat(parts);
}
