import { type RefObject, useRef, useState } from 'react';
import { faultOf } from '../data/faultWords.js';
import { announce } from '../ui/announce.js';
import { t } from '../language.js';

type Act = (say: (waiting: string) => void) => Promise<string | void>;

/** What a button is for: one thing at a time, and what goes wrong is told. */
export interface Doing {
  /** Said while it is under way. */
  readonly waiting: string | undefined;
  readonly problem: string | undefined;
  /** Said once it is done, if there is something to say. */
  readonly done: string | undefined;
  /** Whether these words stand on the page. */
  readonly isShown: RefObject<boolean>;
  /**
   * @param waiting said meanwhile
   * @param act what throws is told as the problem, a text that it gives as done. It may say how far it is
   */
  run(waiting: string, act: Act): void;
  tell(problem: string | undefined): void;
}

/** What was done is shown by then, if it is shown, milliseconds. */
const SHOWN_WITHIN_MS = 100;

export function useDoing(): Doing {
  const [told, tell] = useState<{ waiting?: string; problem?: string | undefined; done?: string | undefined }>({});
  const isBusy = useRef(false);
  const isShown = useRef(false);
  const end = (ended: { readonly problem?: string; readonly done?: string | undefined }) => {
    tell(ended);
    // A step that is done is often taken off the page before it could say so.
    setTimeout(() => isShown.current || announce(ended.problem ?? ended.done ?? ''), SHOWN_WITHIN_MS);
  };
  const act = async (work: Act) => {
    isBusy.current = true;
    try {
      end({ done: (await work((waiting) => tell({ waiting }))) ?? undefined });
    } catch (error) {
      end({ problem: faultOf(error, t('The wallet did not sign.')) });
    } finally {
      isBusy.current = false;
    }
  };
  return {
    isShown,
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
