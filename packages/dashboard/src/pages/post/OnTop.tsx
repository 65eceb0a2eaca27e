import { type Asset, type ServiceConfig, SOL } from '@legwork/sdk';
import { useQuery } from '@tanstack/react-query';
import { heldOf, type Held, useHeld } from '../../data/held.js';
import type { Kind } from '../../data/legWords.js';
import form from '../../wallet/form.module.css';
import { useSession } from '../../wallet/session.js';
import { amountIn, figureIn, m, t } from '../../language.js';

interface Props {
  readonly kind: Kind;
  readonly hasTerms: boolean;
  readonly budget: bigint;
  readonly of: Asset;
  readonly config: ServiceConfig;
}

/** What a listing in a token takes in SOL on top of its budget, who pays that, and what comes back. Rule D-97. */
export function OnTop(props: Props) {
  const session = useSession();
  const { kind, hasTerms } = props;
  const { data: rents } = useQuery({
    queryKey: ['rents', kind, hasTerms],
    queryFn: async () => (await import('../../data/tokens.js')).rentsOf(kind, hasTerms),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (rents === undefined) return null;
  const { listing, kept, vault } = rents;
  return (
    <>
      <p>
        {t(
          "On top, in SOL: {listing} rent for the listing's account, of which {back} comes back to you once it is closed; {vault} rent for the escrow's token account, which comes back to you when it is over; and the fee, {fee}.",
          { listing: figureIn(listing), back: figureIn(listing - kept), vault: figureIn(vault), fee: figureIn(FEE) },
        )}
      </p>
      {session ? (
        <Payer {...props} needs={listing + vault + FEE} wallet={session.account.address} />
      ) : (
        <p>{t(props.config.feePayerPubkey === null ? OWN : LENDS)}</p>
      )}
    </>
  );
}

/** Of one signature. */
const FEE = 5_000n;

const OWN = m('The wallet that signs pays that; this service pays for nobody.');
const LENDS = m(
  'The wallet that signs pays that. If it has too little SOL, the service pays, within its daily limits.',
);

function Payer({ wallet, needs, ...props }: Props & { readonly wallet: string; readonly needs: bigint }) {
  const { data: held } = useHeld(wallet);
  const lacks = held && lackIn(held, props);
  return (
    <>
      <p>{sentenceOf(held, needs, props.config.feePayerPubkey !== null)}</p>
      {lacks !== undefined && <p className={form.problem}>{lacks}</p>}
    </>
  );
}

function sentenceOf(held: readonly Held[] | undefined, needs: bigint, lends: boolean): string {
  const sol = heldOf(held, SOL);
  if (sol === undefined) return t(lends ? LENDS : OWN);
  if (sol >= needs) return t('Your wallet pays that.');
  const has = figureIn(sol);
  if (!lends)
    return t('Your wallet has {has} SOL, and this service pays for nobody: the ledger would refuse the listing.', {
      has,
    });
  return t(
    'Your wallet has {has} SOL, so the service pays all of that, within its daily limits; what comes back goes to your wallet.',
    { has },
  );
}

function lackIn(held: readonly Held[], { budget, of }: Props): string | undefined {
  const has = heldOf(held, of);
  if (has === undefined || has >= budget) return undefined;
  return t('Your wallet has {has}, which is less than you want to lock.', { has: amountIn(has, of) });
}
