/** A film of one frame in which a camera sees a code. */
export function filmOf(text: string): Uint8Array;
/** What the browser is told of such a camera. @param film its file */
export function cameraArgs(film: string): readonly string[];
