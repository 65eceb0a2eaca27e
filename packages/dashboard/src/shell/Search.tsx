import { useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { readLookup } from '@legwork/protocol/contract';
import { faultOf } from '../data/faultWords.js';
import { keyOf, queries, service } from '../data/service.js';
import { SearchIcon } from '../ui/icons.js';
import { called, type Finding, findingOf, onLedger } from './findings.js';
import styles from './Search.module.css';
import { m, t } from '../language.js';

/** So many of each kind are listed. */
const MOST = 5;

/**
 * What a text may mean: by its form an id, a key, an address or a signature; else what is open and says these words, what is on the map
 * and says this text, and the agents whose names begin so.
 *
 * @throws LegworkApiError
 */
async function find(text: string): Promise<readonly Finding[]> {
  const hasForm = Object.values(readLookup(text)).some((form) => form !== undefined);
  if (!hasForm) return findByName(text);
  const { matches } = await service.lookup({ text });
  return matches.length > 0 ? matches.map((match) => findingOf(text, match)) : findByName(text);
}

async function findByName(text: string): Promise<readonly Finding[]> {
  const [work, agents, relays] = await Promise.all([
    service.findWork({ q: text, limit: MOST }),
    service.listAgents({ q: text, limit: MOST }),
    queries.ensureQueryData({ queryKey: keyOf('listRelays'), queryFn: () => service.listRelays({}) }),
  ]);
  const small = text.toLowerCase();
  const found: Finding[] = [
    ...work.items.map(({ packageId, taskId, title, text: says }) =>
      packageId === null ? called('task', taskId ?? '', title ?? says) : called('package', packageId, says),
    ),
    ...relays.items
      .filter(({ description }) => description.toLowerCase().includes(small))
      .slice(0, MOST)
      .map(({ id, description }) => called('package', id, description)),
    ...agents.items.map(({ agentPubkey, displayName }) => called('agent', agentPubkey, displayName ?? agentPubkey)),
  ];
  return found.filter(({ path }, at) => found.findIndex((one) => one.path === path) === at);
}

/** A text that was asked about; without findings and error, the answer is to come. */
interface Asked {
  readonly text: string;
  readonly findings?: readonly Finding[];
  readonly error?: unknown;
}

/** Asks what a text is. @param goTo is told where to go when it is one thing */
function useLookup(goTo: (path: string) => void): [asked: Asked | undefined, ask: (text: string) => Promise<void>] {
  const [asked, setAsked] = useState<Asked>();
  const newest = useRef('');
  const ask = async (text: string) => {
    newest.current = text;
    setAsked({ text });
    const answer = await find(text).then(
      (findings): Asked => ({ text, findings }),
      (error: unknown): Asked => ({ text, error }),
    );
    if (newest.current !== text) return;
    setAsked(answer);
    const [first, ...others] = answer.findings ?? [];
    if (first !== undefined && others.length === 0) goTo(first.path);
  };
  return [asked, ask];
}

/** Finds what is called so, or has this id, key or signature: goes there, or lists what it may be. Rule D-31. */
export function Search() {
  const [isOpen, setOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const [, go] = useLocation();
  const close = () => {
    setOpen(false);
    if (field.current) field.current.value = '';
  };
  const [asked, ask] = useLookup((path) => {
    close();
    // Where it leads to, the title is read on from.
    field.current?.blur();
    go(path);
  });
  const submit = (text: string) => {
    if (text === '') return;
    setOpen(true);
    void ask(text);
  };
  return (
    <form
      role="search"
      className={styles.search}
      onSubmit={(event) => {
        event.preventDefault();
        submit(field.current?.value.trim() ?? '');
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        // It closes what was found first, and then leaves the field.
        if (isOpen) field.current?.focus();
        else document.querySelector<HTMLElement>('main')?.focus();
        setOpen(false);
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setOpen(false);
      }}
    >
      <SearchIcon />
      <input
        ref={field}
        data-search
        name="text"
        type="search"
        enterKeyHint="search"
        aria-label={t('Find by title, agent, id or key')}
        placeholder={t('Find by title, agent, id or key')}
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
      />
      <kbd aria-hidden="true">/</kbd>
      <div className={isOpen ? styles.found : undefined} role="status">
        {isOpen && asked && <Answer asked={asked} close={close} />}
      </div>
    </form>
  );
}

function Answer({ asked: { text, findings, error }, close }: { asked: Asked; close: () => void }) {
  if (error !== undefined) return <p>{faultOf(error, t('The service does not answer.'))}</p>;
  return findings ? <Found text={text} findings={findings} close={close} /> : <p>{t('Looking…')}</p>;
}

const NOTHING = m(
  'Nothing here matches. Open listings are found by their words, agents by the beginning of their name, and everything by its id, key or signature.',
);

function Found({ text, findings, close }: { text: string; findings: readonly Finding[]; close: () => void }) {
  const elsewhere = onLedger(text);
  const shown = findings.length > 0 ? findings : elsewhere ? [elsewhere] : [];
  return (
    <>
      {findings.length === 0 && <p>{t(NOTHING)}</p>}
      <ul>
        {shown.map(({ kind, title, path }) => (
          <li key={`${kind} ${path}`}>
            <Link href={path} onClick={close}>
              <span>{kind}</span> <bdi>{title}</bdi>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
