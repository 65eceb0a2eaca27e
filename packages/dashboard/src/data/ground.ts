import { serviceUrl } from './shell.js';

declare global {
  interface ImportMetaEnv {
    /** The version of the ground's files. */
    readonly GROUND: string;
  }
}

/** Address of a file of the ground. */
export const groundUrl = (name: string): string => `${serviceUrl}/assets/ground/${import.meta.env.GROUND}/${name}`;
