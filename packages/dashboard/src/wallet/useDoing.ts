import { useRef, useState } from 'react';
import { faultOf } from '../data/faultWords.js';

type Act = (say: (waiting: string) => void) => Promise<string | void>;

/** What a button is for: one thing at a time, and what goes wrong is told. */
export interface Doing {
  /** Said while it is under way. */
  readonly waiting: string | undefined;
  readonly problem: string | undefined;
  /** Said once it is done, if there is something to say. */
  readonly done: string | undefined;
  /**
   * @param waiting said meanwhile
   * @param act what throws is told as the problem, a text that it gives as done. It may say how far it is
   */
  run(waiting: string, act: Act): void;
  tell(problem: string | undefined): void;
}

export function useDoing(): Doing {
  const [told, tell] = useState<{ waiting?: string; problem?: string | undefined; done?: string | undefined }>({});
  const isBusy = useRef(false);
  const act = async (work: Act) => {
    isBusy.current = true;
    try {
      tell({ done: (await work((waiting) => tell({ waiting }))) ?? undefined });
    } catch (error) {
      tell({ problem: faultOf(error, 'The wallet did not do it.') });
    } finally {
      isBusy.current = false;
    }
  };
  return {
    waiting: told.waiting,
    problem: told.problem,
    done: told.done,
    run(waiting, work) {
      if (isBusy.current) return;
      tell({ waiting });
      void act(work);
    },
    tell: (problem) => tell({ problem }),
  };
}
