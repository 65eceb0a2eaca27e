import encodeQR from 'qr';

/** A picture of a text for a camera, as the address of an image: black on white in both themes, or cameras do not find it. */
export function qrImage(text: string): string {
  const svg = encodeQR(text, 'svg', { ecc: 'low', border: 4 });
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
