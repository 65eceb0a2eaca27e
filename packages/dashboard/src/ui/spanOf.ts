/** A length of time whole: `2 h 40 min`. @param seconds 0 or more */
export function spanOf(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'days'],
    [Math.floor((seconds % 86_400) / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'min'],
    [seconds % 60, 's'],
  ] as const;
  const said = parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${count === 1 && unit === 'days' ? 'day' : unit}`);
  return said.join(' ') || '0 s';
}
