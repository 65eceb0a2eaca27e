import { type ClaimWindow, isWindowOpen } from '@legwork/protocol/rules';
import { t } from '../../language.js';

/** An instant of the programme, for people in every zone. */
export function instant(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Whether claims are taken, and from when to when. Rule M-67. */
export function windowWords(window: ClaimWindow, now: Date): { readonly state: string; readonly rest: string } {
  const [opens, closes] = [instant(window.opensAt), instant(window.closesAt)];
  if (isWindowOpen(window, now)) return { state: t('Claims are open'), rest: t(', until {closes}.', { closes }) };
  if (now < window.opensAt)
    return { state: t('Claims are not open yet'), rest: t(': from {opens} to {closes}.', { opens, closes }) };
  return {
    state: t('Claims are closed'),
    rest: t(
      ': they were open from {opens} until {closes}. You can still see what a key earned and what its claim would have recorded: the sum, how much of it was sponsored and self-funded, the legs, and the posters.',
      { opens, closes },
    ),
  };
}
