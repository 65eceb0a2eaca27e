/** Notes a finding where two things differ. */
export class Comparison {
  readonly findings: string[] = [];

  equal(what: string, found: unknown, wanted: unknown): void {
    const [left, right] = [show(found), show(wanted)];
    if (left !== right) this.findings.push(`${what}: ${left} instead of ${right}`);
  }

  atMost(what: string, found: bigint, most: bigint): void {
    if (found > most) this.findings.push(`${what}: ${found}, more than ${most}`);
  }
}

function show(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ?? 'nothing';
}
