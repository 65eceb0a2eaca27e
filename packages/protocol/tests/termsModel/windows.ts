/** Short and long windows, each with each, in ticks: the longest beyond the deadline. */
export const WINDOWS = [2, 3, 5].flatMap((carry) =>
  [2, 4].flatMap((handoff) =>
    [2, 5].flatMap((review) =>
      [2, 3].flatMap((arbitration) => [4, 7].map((deadline) => ({ carry, handoff, review, arbitration, deadline }))),
    ),
  ),
);
