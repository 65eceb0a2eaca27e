import { useEffect } from 'react';
import { base } from '../data/shell.js';
import { keepOffline } from './offline.js';

/** Has this page open where there is no network, from now on. Without that it is there all the same. */
export function useKeptOffline(): void {
  useEffect(() => {
    keepOffline(new URL(base, window.location.origin)).catch(() => undefined);
  }, []);
}
