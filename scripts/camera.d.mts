/** A film of one frame in which a camera sees a code. */
export function filmOf(text: string): Uint8Array;
/** The browser's arguments for such a camera. @param film its file */
export function cameraArgs(film: string): readonly string[];
