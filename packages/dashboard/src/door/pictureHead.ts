import { m, type Message } from '../language.js';

const HEIC = m(
  'This photograph is a HEIC file, which this browser cannot read. Take it here with the camera, or choose a JPEG: an iPhone takes ' +
    'those with Settings, Camera, Formats, Most Compatible.',
);

/** What a file says of its picture before anything of it is decoded. */
interface Head {
  readonly pixels: number;
  /** False: its end is missing. */
  readonly isWhole: boolean;
  /** Why a browser may not read it that reads others. */
  readonly otherwise?: Message;
}

/** @returns undefined: it is of no kind that cameras and browsers make */
export function headOf(view: DataView): Head | undefined {
  const says = (at: number, text: string) => {
    for (let by = 0; by < text.length; by += 1) {
      if (at + by >= view.byteLength || view.getUint8(at + by) !== text.charCodeAt(by)) return false;
    }
    return true;
  };
  try {
    if (says(0, '\u00ff\u00d8\u00ff')) return jpeg(view);
    if (says(0, '\u0089PNG')) {
      return { pixels: view.getUint32(16) * view.getUint32(20), isWhole: hasAfter(view, 23, IEND) };
    }
    if (says(0, 'RIFF') && says(8, 'WEBP')) return webp(view, says);
    return says(4, 'ftyp') ? heif(view, says) : undefined;
  } catch (error) {
    // It ends before it says how large it is.
    if (error instanceof RangeError) return { pixels: 0, isWhole: false };
    throw error;
  }
}

/** The frame says the size; before it may stand any number of other segments, such as where it was taken. */
function jpeg(view: DataView): Head {
  let pixels = 0;
  for (let at = 2; ; ) {
    const marker = view.getUint16(at);
    if (marker === 0xff_da) return { pixels, isWhole: hasAfter(view, at, 0xff_d9, 2) };
    const isFrame = marker >= 0xff_c0 && marker <= 0xff_cf && ![0xff_c4, 0xff_c8, 0xff_cc].includes(marker);
    if (isFrame) pixels = Math.max(pixels, view.getUint16(at + 5) * view.getUint16(at + 7));
    // Any number of bytes may fill the room before a marker.
    at += marker === 0xff_ff ? 1 : 2 + view.getUint16(at + 2);
  }
}

type Says = (at: number, text: string) => boolean;

function webp(view: DataView, says: Says): Head {
  const isWhole = view.getUint32(4, true) + 8 <= view.byteLength;
  const low = (at: number, bits: number) => view.getUint32(at, true) & (2 ** bits - 1);
  if (says(12, 'VP8X')) return { isWhole, pixels: (low(24, 24) + 1) * (low(27, 24) + 1) };
  if (says(12, 'VP8L'))
    return { isWhole, pixels: (low(21, 14) + 1) * (((view.getUint32(21, true) >>> 14) & 0x3fff) + 1) };
  return { isWhole, pixels: low(26, 14) * low(28, 14) };
}

/** `ispe`: how large a picture is. */
const ISPE = 0x69_73_70_65;
/** `IEND`. */
const IEND = 0x49_45_4e_44;

/** HEIC and AVIF say it of every picture in them: the one that is shown, its tiles and its preview. */
function heif(view: DataView, says: Says): Head | undefined {
  let pixels = 0;
  for (let at = 8; at + 16 <= view.byteLength; at += 1) {
    if (view.getUint32(at) === ISPE) pixels = Math.max(pixels, view.getUint32(at + 8) * view.getUint32(at + 12));
  }
  // A film has none.
  if (pixels === 0) return undefined;
  return says(8, 'avi') ? { pixels, isWhole: true } : { pixels, isWhole: true, otherwise: HEIC };
}

/** Whether this number stands somewhere behind, the last place first. @param bytes that the number has */
function hasAfter(view: DataView, from: number, number: number, bytes: 2 | 4 = 4): boolean {
  for (let at = view.byteLength - bytes; at > from; at -= 1) {
    if ((bytes === 2 ? view.getUint16(at) : view.getUint32(at)) === number) return true;
  }
  return false;
}
