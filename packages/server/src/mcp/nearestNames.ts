/** Names this far off are another word. */
const MAX_CLIP = 64;

/** How many insertions, deletions and replacements of a character turn one text into the other. */
export function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_unused, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}

/** The `count` known names that are most like the given one, nearest first. */
export function nearestNames(given: string, known: Iterable<string>, count: number): string[] {
  const clipped = given.slice(0, MAX_CLIP).toLowerCase();
  return [...known]
    .map((name) => ({ name, distance: editDistance(clipped, name) }))
    .sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, count)
    .map(({ name }) => name);
}
