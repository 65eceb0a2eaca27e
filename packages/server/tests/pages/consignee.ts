import { pagePath } from '@legwork/protocol/contract';
import { type PackageDetail, receiverOfWords } from '@legwork/sdk';
import { type Cast, courier, listedWithTerms } from '../operations/turns/scene.js';
import { bidInput, untilPackage } from '../support/market.js';
import type { TestService } from '../support/service.js';

export const WORDS = 'canyon-lemon-orbit-puzzle-river-violin';

/** A package for who knows the words, formed with one courier. */
export async function forConsignee(service: TestService): Promise<Cast> {
  const shipper = await service.party(3);
  const { address: receiverPubkey } = await receiverOfWords(WORDS, shipper.pubkey);
  const listed = await listedWithTerms(service, { receiverPubkey }, {}, shipper);
  const one = await courier(service);
  await one.client.submitBid(bidInput(one, listed.parcel.id, 'zoo', 'ostkreuz', 0.1));
  const parcel = await untilPackage(service, listed.parcel.id, ({ status }) => status === 'in_transit');
  return { ...listed, parcel, couriers: [one] };
}

/** The link that its consignee gets. */
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
