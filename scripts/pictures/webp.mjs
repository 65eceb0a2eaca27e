// WebP pictures, still and moving: Chromium compresses; the frames of a moving one are put together here.

/** Of 0 to 1: letters stay sharp, and a page takes some 50 KB. */
const QUALITY = 0.85;

/**
 * Compresses in a page of Chromium.
 *
 * @param page any page of our own address: browsers decode moving pictures on trusted pages alone
 * @param {Buffer} png the picture
 * @param {Buffer | undefined} before of a later frame, the one that it follows
 * @returns {Promise<{ x: number, y: number, width: number, height: number, webp: Buffer } | undefined>} the part that changed,
 *   in pixels; undefined if nothing did
 */
export async function compressed(page, png, before) {
  const [picture, last] = [png, before].map((each) => each?.toString('base64'));
  const part = await page.evaluate(compressHere, { picture, last, quality: QUALITY });
  return part && { ...part, webp: Buffer.from(part.webp, 'base64') };
}

/** Runs in the page. */
async function compressHere({ picture, last, quality }) {
  const pixelsOf = async (base64) => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d', { willReadFrequently: true });
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height);
  };
  const changedBox = (now, then, width) => {
    const box = { left: width, top: now.length, right: -1, bottom: -1 };
    for (let at = 0; at < now.length; at += 1) {
      if (now[at] === then[at]) continue;
      const [x, y] = [at % width, Math.floor(at / width)];
      box.left = Math.min(box.left, x);
      box.right = Math.max(box.right, x);
      box.top = Math.min(box.top, y);
      box.bottom = Math.max(box.bottom, y);
    }
    return box;
  };
  const image = await pixelsOf(picture);
  let box = { left: 0, top: 0, right: image.width - 1, bottom: image.height - 1 };
  if (last !== undefined) {
    const [now, then] = [image, await pixelsOf(last)].map(({ data }) => new Uint32Array(data.buffer));
    box = changedBox(now, then, image.width);
  }
  if (box.right < 0) return undefined;
  // The format has even places alone.
  const [x, y] = [box.left - (box.left % 2), box.top - (box.top % 2)];
  const [width, height] = [box.right - x + 1, box.bottom - y + 1];
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext('2d', { alpha: false }).putImageData(image, -x, -y);
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality })).arrayBuffer());
  return { x, y, width, height, webp: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')) };
}

/** A chunk of the container: its name, its length, what it holds, and a zero if that is odd. */
function chunk(name, ...held) {
  const content = Buffer.concat(held);
  return Buffer.concat([Buffer.from(name), number(content.length, 4), content, Buffer.alloc(content.length % 2)]);
}

function number(value, bytes) {
  const written = Buffer.alloc(bytes);
  written.writeUIntLE(value, 0, bytes);
  return written;
}

const ANIMATION = 0x02;
const FOR_EVER = 0;

/**
 * Puts frames together.
 *
 * @param {{ x: number, y: number, width: number, height: number, webp: Buffer, ms: number }[]} frames the first is whole
 */
export function animated(frames) {
  const [{ width, height }] = frames;
  const size = [number(width - 1, 3), number(height - 1, 3)];
  const body = Buffer.concat([
    Buffer.from('WEBP'),
    chunk('VP8X', number(ANIMATION, 4), ...size),
    chunk('ANIM', number(0, 4), number(FOR_EVER, 2)),
    ...frames.map(frameChunk),
  ]);
  return Buffer.concat([Buffer.from('RIFF'), number(body.length, 4), body]);
}

function frameChunk({ x, y, width, height, webp, ms }) {
  const place = [x / 2, y / 2, width - 1, height - 1, Math.round(ms)].map((value) => number(value, 3));
  return chunk('ANMF', ...place, number(0, 1), pixelsIn(webp));
}

/** The chunk of a still picture that holds its pixels. */
function pixelsIn(webp) {
  for (let at = 12; at < webp.length; ) {
    const length = webp.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (webp.toString('latin1', at, at + 4) === 'VP8 ') return webp.subarray(at, end);
    at = end;
  }
  throw new Error('the picture has no pixels');
}

/** How many frames Chromium finds in it. */
export function framesIn(page, webp) {
  return page.evaluate(async (base64) => {
    const { body } = await fetch(`data:image/webp;base64,${base64}`);
    const decoder = new ImageDecoder({ data: body, type: 'image/webp' });
    await decoder.tracks.ready;
    await decoder.completed;
    return decoder.tracks.selectedTrack.frameCount;
  }, webp.toString('base64'));
}
