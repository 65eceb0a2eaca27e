import { PAGES } from '@legwork/protocol/contract';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { m, type Message } from '../language.js';

/** The letter after `g` that leads to a page. */
export const GO: Readonly<Record<string, { readonly path: string; readonly name: Message }>> = {
  o: { path: PAGES.overview, name: m('Overview') },
  p: { path: PAGES.packages, name: m('Packages') },
  t: { path: PAGES.tasks, name: m('Tasks') },
  a: { path: PAGES.agents, name: m('Agents') },
  n: { path: PAGES.post, name: m('Post a package or a task') },
  m: { path: PAGES.turns, name: m('Your turns, packages and tasks') },
  c: { path: PAGES.courier, name: m('Carry parcels') },
  r: { path: PAGES.rewards, name: m('Rewards') },
  d: { path: PAGES.developers, name: m('Developers') },
};

/** Within which the letter follows `g`, milliseconds. */
const SEQUENCE_MS = 1_500;
const KEPT = 'keys';

/** Where keys are text. */
const TYPED = 'input, textarea, select, [contenteditable], dialog';

function areKeptOff(): boolean {
  try {
    return localStorage.getItem(KEPT) === 'off';
  } catch {
    return false;
  }
}

/**
 * Listens for the keys of the whole page. Those without a modifier can be switched off, for people who speak to a browser or
 * touch keys by accident (WCAG 2.1.4).
 *
 * @param showKeys opens the list of keys
 */
export function useKeys(showKeys: () => void): { areOn: boolean; switchKeys: (on: boolean) => void } {
  const [areOn, setOn] = useState(() => !areKeptOff());
  const [location, go] = useLocation();
  // Outlasts the change of pages: the next `g` may come before the new page is there.
  const goneAt = useRef(0);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      toSearch();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  useEffect(() => {
    if (!areOn) return undefined;
    const press = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey } = event;
      if (event.defaultPrevented || ctrlKey || metaKey || altKey || (target as Element).closest?.(TYPED)) return;
      const page = event.timeStamp - goneAt.current < SEQUENCE_MS ? GO[key] : undefined;
      goneAt.current = key === 'g' ? event.timeStamp : 0;
      if (page) go(page.path);
      else if (key === '/') toSearch();
      else if (key === '?') showKeys();
      else if (key === 'Escape' && location !== upOf(location)) go(upOf(location));
      else if (key === 'j') step(1);
      else if (key === 'k') step(-1);
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [areOn, go, location, showKeys]);
  const switchKeys = (on: boolean) => {
    setOn(on);
    try {
      localStorage.setItem(KEPT, on ? 'on' : 'off');
    } catch {
      // It holds for this visit.
    }
  };
  return { areOn, switchKeys };
}

const toSearch = () => document.querySelector<HTMLElement>('[data-search]')?.focus();

/** The list of what a page shows one of. */
function upOf(path: string): string {
  const list = /^(\/[pta])\/./.exec(path);
  return list?.[1] ?? path;
}

/** Moves the focus to the link of the next or the previous row. */
function step(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('main tbody tr')].flatMap(
    (row) => row.querySelector<HTMLElement>('a') ?? [],
  );
  const row = document.activeElement?.closest('tr');
  const at = links.findIndex((link) => link.closest('tr') === row);
  links[at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by]?.focus();
}
