import { type ClaimWindow, isWindowOpen } from '@legwork/protocol/rules';

/** An instant of the programme, for people in every zone. */
export function instant(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Whether claims are taken, and from when to when. Rule M-67. */
export function windowWords(window: ClaimWindow, now: Date): { readonly state: string; readonly rest: string } {
  const [opens, closes] = [instant(window.opensAt), instant(window.closesAt)];
  if (isWindowOpen(window, now)) return { state: 'Claims are open', rest: `, until ${closes}.` };
  if (now < window.opensAt) return { state: 'Claims are not open yet', rest: `: from ${opens} to ${closes}.` };
  return {
    state: 'Claims are closed',
    rest:
      `: they were open from ${opens} until ${closes}. You can still see what a key earned and what its claim would have ` +
      'recorded: the sum, how much of it was sponsored and self-funded, the legs, and the posters.',
  };
}
