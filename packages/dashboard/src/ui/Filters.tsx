import { type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import styles from './Filters.module.css';
import { useId } from './useId.js';
import { t } from '../language.js';

/** A filter of a list, kept in the address. Empty text is no filter. */
function useFilter(name: string): [value: string, set: (value: string) => void] {
  const [search, setSearch] = useSearchParams();
  const set = (value: string) =>
    setSearch((now) => {
      const next = new URLSearchParams(now);
      if (value === '') next.delete(name);
      else next.set(name, value);
      return next;
    });
  return [search.get(name) ?? '', set];
}

/** What a list is asked for, as the address has it: the service says what is wrong with it. @param names its filters */
export function useFilters<Input extends object>(...names: (keyof Input & string)[]): Input {
  const [search] = useSearchParams();
  const given = names.map((name) => [name, search.get(name) ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== '')) as Input;
}

/** The filters of a list, in a row. */
export function Filters({ children }: { children: ReactNode }) {
  return (
    <form className={styles.filters} onSubmit={(event) => event.preventDefault()}>
      {children}
    </form>
  );
}

interface Props {
  /** Its name in the address. */
  readonly name: string;
  readonly label: string;
}

/** One of some values, or all. @param words what each value is called @param otherwise what no value is called */
export function Choice({
  name,
  label,
  words,
  otherwise = t('All'),
}: Props & { words: Readonly<Record<string, string>>; otherwise?: string }) {
  const [value, set] = useFilter(name);
  const id = useId();
  return (
    <span className={styles.filter}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => set(event.target.value)}>
        <option value="">{otherwise}</option>
        {Object.entries(words).map(([each, word]) => (
          <option key={each} value={each}>
            {word}
          </option>
        ))}
      </select>
    </span>
  );
}

/** A text that is asked for when it is whole: with Enter, or when the field is left. */
export function TextFilter({ name, label, hint }: Props & { hint: string }) {
  const [value, set] = useFilter(name);
  const id = useId();
  return (
    <span className={styles.filter}>
      <label htmlFor={id}>{label}</label>
      <input
        key={value}
        id={id}
        defaultValue={value}
        placeholder={hint}
        autoComplete="off"
        spellCheck={false}
        onBlur={(event) => set(event.target.value.trim())}
        onKeyDown={(event) => {
          if (event.key === 'Enter') set(event.currentTarget.value.trim());
        }}
      />
    </span>
  );
}
