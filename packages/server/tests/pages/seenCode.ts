import type { Page } from 'playwright-core';
import decodeQR from 'qr/decode.js';

const SIDE = 700;
/** The pixels of the picture, in base64; it runs in the page. */
const PIXELS = `(() => {
  const image = document.querySelector('img[alt*="ode"]');
  const pen = Object.assign(document.createElement('canvas'), { width: ${SIDE}, height: ${SIDE} }).getContext('2d');
  pen.fillStyle = getComputedStyle(image).backgroundColor;
  pen.fillRect(0, 0, ${SIDE}, ${SIDE});
  pen.drawImage(image, 0, 0, ${SIDE}, ${SIDE});
  return btoa(Array.from(pen.getImageData(0, 0, ${SIDE}, ${SIDE}).data, (byte) => String.fromCharCode(byte)).join(''));
})()`;

/** The text that a camera reads from the code on a page. */
export async function seenCode(page: Page): Promise<string> {
  await page.getByRole('img', { name: /code/i }).waitFor();
  const base64: string = await page.evaluate(PIXELS);
  return decodeQR({ width: SIDE, height: SIDE, data: Buffer.from(base64, 'base64') });
}
