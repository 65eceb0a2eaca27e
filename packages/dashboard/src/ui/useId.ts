import { useState } from 'react';

let last = 0;

/** An id that no other element has, in no sheet either: those are roots of their own, and Preact counts in each anew. */
export const useId = (): string => useState(() => `id-${(last += 1)}`)[0];
