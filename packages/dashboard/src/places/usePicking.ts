import { type KeyboardEvent, useEffect, useState } from 'react';
import type { Place } from './place.js';
import { lastPlace, placesNamed } from './places.js';

const PAUSE_MS = 200;

/** The places that a text names, as a list beneath the field that it is typed into. */
export interface Picking {
  /** Undefined: it is still looked for, or nothing is. */
  readonly found: readonly Place[] | undefined;
  /** Which of them a keyboard is at. */
  readonly active: number;
  /** Empty while the list is closed. */
  readonly shown: readonly Place[];
  readonly open: () => void;
  readonly close: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** Arrow keys go through the list, Enter takes what they are at, Escape closes it: a combobox as WAI-ARIA describes it. Rule D-87. */
export function usePicking(text: string, choose: (place: Place) => void): Picking {
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState(0);
  const found = useFound(isOpen ? text : '');
  const shown = (isOpen && found) || [];
  useEffect(() => setActive(0), [found]);
  const close = () => setIsOpen(false);
  const onKeyDown = (event: KeyboardEvent) => {
    const one = shown[active];
    if (one === undefined) return;
    const step = { ArrowDown: 1, ArrowUp: shown.length - 1 }[event.key];
    if (step !== undefined) setActive((active + step) % shown.length);
    else if (event.key === 'Enter') {
      close();
      choose(one);
    } else if (event.key === 'Escape') close();
    else return;
    // Enter would send the form, arrows would move the cursor.
    event.preventDefault();
  };
  return { found, active, shown, open: () => setIsOpen(true), close, onKeyDown };
}

/** Places of the name, once somebody pauses. */
function useFound(text: string): readonly Place[] | undefined {
  const [found, setFound] = useState<readonly Place[]>();
  useEffect(() => {
    let isCurrent = true;
    setFound(undefined);
    const take = (places: readonly Place[]) => {
      if (isCurrent) setFound(places);
    };
    const timer = setTimeout(() => {
      placesNamed(text, lastPlace()).then(take, () => take([]));
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text]);
  return found;
}
