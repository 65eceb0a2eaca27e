import { pagePath } from '@legwork/protocol/contract';
import { type PackageDetail, readHandoffCode, receiverOfWords, submitHandoff } from '@legwork/sdk';
import { type Cast, formedWithTerms } from '../operations/turns/scene.js';
import type { Place } from '../support/market.js';
import type { Party, TestService } from '../support/service.js';

export const WORDS = 'canyon-lemon-orbit-puzzle-river-violin';

/** A package for who knows the words, formed with a courier for each part of the way. */
export async function forConsignee(
  service: TestService,
  way: readonly (readonly [Place, Place, number])[] = [['zoo', 'ostkreuz', 0.1]],
): Promise<Cast> {
  const shipper = await service.party(3);
  const { address: receiverPubkey } = await receiverOfWords(WORDS, shipper.pubkey);
  return formedWithTerms(service, way, { receiverPubkey }, shipper);
}

/** Acts as the courier's phone on what its camera saw. */
export async function sendSeen({ client, signer }: Party, code: string): Promise<void> {
  const signed = await readHandoffCode(code);
  if (signed === undefined) throw new Error(`no handoff: ${code}`);
  await submitHandoff(client, signer, signed);
}

/** The link that its receiver gets. */
export const linkOf = (service: TestService, { id }: Pick<PackageDetail, 'id'>, words = WORDS): string =>
  `${service.server.url}${pagePath('track', id)}#${words}`;

/** A photograph of so many pixels as phones make them, in base64; it runs in a page. */
export const photograph = (width: number, height: number): string => `(() => {
  const canvas = Object.assign(document.createElement('canvas'), { width: ${width}, height: ${height} });
  const pen = canvas.getContext('2d');
  for (let at = 0; at < ${width}; at += 1) {
    pen.fillStyle = 'hsl(' + ((at * 137) % 360) + ' 80% 50%)';
    pen.fillRect((at * 911) % ${width}, (at * 577) % ${height}, 200, 90);
  }
  return canvas.toDataURL('image/jpeg', 0.9).split(',')[1];
})()`;
