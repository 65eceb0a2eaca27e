import { useRef, useState } from 'react';
import { LegworkApiError } from '@legwork/sdk';
import { Link, useLocation } from 'wouter';
import { faultOf } from '../data/faultWords.js';
import { service } from '../data/service.js';
import { SearchIcon } from '../ui/icons.js';
import { type Finding, findingOf, onLedger } from './findings.js';
import styles from './Search.module.css';

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
    const answer = await service.lookup({ text }).then(
      ({ matches }): Asked => ({ text, findings: matches.map((match) => findingOf(text, match)) }),
      (error: unknown): Asked => ({ text, error }),
    );
    if (newest.current !== text) return;
    setAsked(answer);
    const [first, ...others] = answer.findings ?? [];
    if (first !== undefined && others.length === 0) goTo(first.path);
  };
  return [asked, ask];
}

/** Finds what an id, a key or a signature is: goes there, or lists what it may be. */
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
        aria-label="Find by id, key or signature"
        placeholder="Find by id, key or signature"
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
  const isNoKey = error instanceof LegworkApiError && error.code === 'invalid_input';
  if (isNoKey) return <p>{NO_KEY}</p>;
  if (error !== undefined) return <p>{faultOf(error, 'The service does not answer.')}</p>;
  return findings ? <Found text={text} findings={findings} close={close} /> : <p>Looking…</p>;
}

const NO_KEY =
  'This is no id, key, address or signature. Type one as it is, or the last 6 characters or more of an id: names are not searched.';

function Found({ text, findings, close }: { text: string; findings: readonly Finding[]; close: () => void }) {
  const elsewhere = onLedger(text);
  const shown = findings.length > 0 ? findings : elsewhere ? [elsewhere] : [];
  return (
    <>
      {findings.length === 0 && <p>Nothing here has this id, key or signature.</p>}
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
