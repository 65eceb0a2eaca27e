import { openPicture } from './picture.js';
import { t } from '../language.js';

/** A detector of codes: the browser's own, where it has one. */
type Detect = (picture: HTMLCanvasElement) => Promise<string | undefined>;

/** As far as it is used here: TypeScript does not know it. */
interface Detector {
  detect(picture: HTMLCanvasElement): Promise<readonly { readonly rawValue: string }[]>;
}
declare const BarcodeDetector:
  | ((new (how: { formats: string[] }) => Detector) & { getSupportedFormats(): Promise<string[]> })
  | undefined;

async function detector(): Promise<Detect> {
  if (typeof BarcodeDetector !== 'undefined' && (await BarcodeDetector.getSupportedFormats()).includes('qr_code')) {
    const own = new BarcodeDetector({ formats: ['qr_code'] });
    return async (picture) => (await own.detect(picture))[0]?.rawValue;
  }
  const { default: decodeQR } = await import('qr/decode.js');
  return async (picture) => {
    const pixels = picture.getContext('2d')?.getImageData(0, 0, picture.width, picture.height);
    if (pixels === undefined) return undefined;
    try {
      return decodeQR(pixels);
    } catch {
      // There is none in this picture.
      return undefined;
    }
  };
}

/** At a door there may be no network for the part of the page that reads codes. */
export const readyToRead = (): Promise<unknown> => detector();

const PAUSE_MS = 120;
/** A code of some 75 squares a side stands out well in so many pixels. */
const LONGEST = 1_280;

/**
 * Shows the camera that looks away from its person, until a code is before it.
 *
 * @returns undefined: it was closed before
 */
export async function openCamera(video: HTMLVideoElement, signal: AbortSignal): Promise<string | undefined> {
  // Undefined where the page came over plain http.
  const media = navigator.mediaDevices as MediaDevices | undefined;
  if (media === undefined) throw new DOMException('', 'SecurityError');
  const ideal = { facingMode: 'environment', width: { ideal: LONGEST } };
  const stream = await media.getUserMedia({ audio: false, video: ideal });
  try {
    video.srcObject = stream;
    await video.play();
    const detect = await detector();
    const canvas = document.createElement('canvas');
    while (!signal.aborted) {
      draw(canvas, video, video.videoWidth, video.videoHeight);
      const text = canvas.width > 1 ? await detect(canvas) : undefined;
      if (text !== undefined) return text;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    return undefined;
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}

/** The text of the code in a picture. @throws Error in words */
export async function readPicture(file: Blob): Promise<string> {
  const picture = await openPicture(file);
  const canvas = document.createElement('canvas');
  draw(canvas, picture, picture.width, picture.height);
  picture.close();
  const text = await (await detector())(canvas);
  if (text === undefined)
    throw new Error(t('There is no code in this picture, or it is not sharp. Take it again, closer.'));
  return text;
}

function draw(canvas: HTMLCanvasElement, picture: CanvasImageSource, width: number, height: number): void {
  const scale = Math.min(1, LONGEST / Math.max(width, height, 1));
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.getContext('2d', { willReadFrequently: true })?.drawImage(picture, 0, 0, canvas.width, canvas.height);
}

/** Why there is no camera, and what to do, by what browsers call it. */
export function cameraFault(error: unknown): string {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError') {
    return t('This page may not use the camera. Allow it in the browser, or use a picture or the text of the code.');
  }
  if (name === 'NotFoundError') return t('This device has no camera. Use a picture or the text of the code.');
  if (name === 'SecurityError')
    return t('This page came over plain http, where there is no camera. Open it over https.');
  return t('The camera does not start: another program may be using it. Use a picture or the text of the code.');
}
