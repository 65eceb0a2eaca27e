import { useSearchParams } from 'wouter';

/** The package or task that stands out on the map, in the table and among the events. */
export interface Selection {
  readonly selected: string | undefined;
  readonly select: (id: string | undefined) => void;
}

const NAMED = 'on';

/** It stands in the address, so that a link shows the same. */
export function useSelection(): Selection {
  const [search, setSearch] = useSearchParams();
  const selected = search.get(NAMED) ?? undefined;
  return {
    selected,
    select: (id) => {
      if (id === selected) return;
      setSearch(
        (now) => {
          const next = new URLSearchParams(now);
          if (id === undefined) next.delete(NAMED);
          else next.set(NAMED, id);
          return next;
        },
        { replace: true },
      );
    },
  };
}
