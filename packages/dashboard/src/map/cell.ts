/** Degrees of a cell of the ground's files. */
export const CELL = 5;
