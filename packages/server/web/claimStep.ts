import { encodeBase58 } from './base58.js';
import type { Seen } from './connectStep.js';
import { during, element, moveTo, reveal, sol, write } from './page.js';
import { type Claim, Refusal, registerClaim } from './service.js';
import { signMessage } from './wallets.js';

const PROBLEM = 'register-problem';
const PLACEHOLDER = '{mainnetPubkey}';

interface Form {
  readonly payout: HTMLInputElement;
  readonly proof: HTMLInputElement;
  readonly sure: HTMLInputElement;
  readonly prove: HTMLButtonElement;
  readonly register: HTMLButtonElement;
}

/**
 * The second step: name the payout address and register.
 *
 * @param claimed gets the claim of the key, be it this one or one that was there before
 */
export function startClaiming(claimed: (claim: Claim, isNew: boolean) => void): (seen: Seen | undefined) => void {
  const form: Form = {
    payout: element('payout', HTMLInputElement),
    proof: element('proof', HTMLInputElement),
    sure: element('sure', HTMLInputElement),
    prove: element('prove', HTMLButtonElement),
    register: element('register', HTMLButtonElement),
  };
  let current: Seen | undefined;
  form.payout.addEventListener('input', () => payoutChanged(form, current));
  form.prove.addEventListener('click', () => {
    const waiting = 'Waiting for your wallet to sign the proof.';
    void during(form.prove, { waiting, problemId: 'proof-problem' }, () => prove(form, current));
  });
  element('claim-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    const waiting = 'Waiting for your wallet to sign the claim.';
    void during(form.register, { waiting, problemId: PROBLEM }, async () => {
      const seen = current;
      if (seen !== undefined && isComplete(form)) await register(form, seen, claimed);
    });
  });
  return (seen) => {
    current = seen;
    element('claim-form', HTMLFormElement).reset();
    write({ [PROBLEM]: '', 'proof-problem': '' });
    payoutChanged(form, seen);
    reveal(seen !== undefined, 'earned');
    if (seen !== undefined) show(seen);
  };
}

function show({ preview }: Seen): void {
  const { devnetEarningsLamports, sponsoredLamports, selfFundedLamports, legs, posters, window } = preview;
  write({
    'earned-total': sol(devnetEarningsLamports),
    'earned-sponsored': sol(sponsoredLamports),
    'earned-self-funded': sol(selfFundedLamports),
    'earned-legs': String(legs),
    'earned-posters': String(posters),
  });
  reveal(window.isOpen, 'claim-form');
  reveal(!window.isOpen, 'not-now');
  moveTo('earned-heading');
}

/** Looks before the wallet is asked to sign; whether the address is one, the service says. */
function isComplete({ payout, sure }: Form): boolean {
  blame(sure, sure.checked ? '' : 'Check the address, then tick this.');
  blame(payout, payout.value.trim() === '' ? 'Name the address that the payout goes to.' : '');
  return sure.checked && payout.value.trim() !== '';
}

/** Whoever names another address has neither looked at it nor proven it yet. */
function payoutChanged({ payout, proof, sure }: Form, seen: Seen | undefined): void {
  const address = payout.value.trim();
  proof.value = '';
  sure.checked = false;
  blame(payout, '');
  blame(sure, '');
  write({
    'payout-repeated': address === '' ? 'this address' : address,
    'proof-text': seen?.preview.payoutProof.replace(PLACEHOLDER, () => address) ?? '',
  });
}

function blame(field: HTMLInputElement, message: string): void {
  field.ariaInvalid = message === '' ? null : 'true';
  write({ [`${field.id}-problem`]: message });
  if (message !== '') field.focus();
}

async function prove({ payout, proof }: Form, seen: Seen | undefined): Promise<void> {
  if (seen === undefined) return;
  const { wallet, accounts } = seen.connection;
  const address = payout.value.trim();
  const account = accounts.find((one) => one.address === address);
  if (account === undefined) {
    throw new Error(
      `${wallet.name} does not show that address. Sign the text where the key is, and paste the signature.`,
    );
  }
  const text = seen.preview.payoutProof.replace(PLACEHOLDER, () => address);
  const signature = await signMessage(wallet, account, new TextEncoder().encode(text));
  // Meanwhile the person may have named another address.
  if (payout.value.trim() === address) proof.value = encodeBase58(signature);
}

async function register(
  form: Form,
  { key, preview }: Seen,
  claimed: (claim: Claim, isNew: boolean) => void,
): Promise<void> {
  const signature = form.proof.value.trim();
  blame(form.payout, '');
  try {
    const claim = await registerClaim(key, {
      devnetPubkey: key.address,
      mainnetPubkey: form.payout.value.trim(),
      confirmedEarningsLamports: preview.devnetEarningsLamports,
      ...(signature !== '' && { mainnetSignature: signature }),
    });
    claimed(claim, true);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { claim, devnetEarningsLamports: earnings, errors } = error.problem;
    if (earnings !== undefined)
      throw new Error(`This key has earned ${sol(earnings)} by now. Show it again, then register.`, { cause: error });
    const wrongPayout = errors.find(({ field }) => field === 'mainnetPubkey');
    if (claim !== undefined) claimed(claim, false);
    else if (wrongPayout === undefined) throw error;
    else blame(form.payout, `This cannot be a payout address: ${wrongPayout.message}`);
  }
}
