/** @jsxImportSource preact */
import type { KeyPairSigner } from '@solana/kit';
import { qrImage } from '../door/qr.js';
import { useWaiting } from './useDelivery.js';

interface Props {
  readonly id: string;
  readonly holder: { readonly signer: KeyPairSigner };
  readonly code: string;
}

/** What was signed, for the courier's camera. */
export function Shown({ id, holder, code }: Props) {
  const { waiting, problem } = useWaiting(id, holder, code);
  return (
    <>
      <h2>Signed. Show this to the courier</h2>
      <img class="qr" src={qrImage(code)} alt="The code that the courier scans" />
      {waiting === undefined && <p>It is being sent.</p>}
      <p role="status">{waiting !== undefined && sent(waiting)}</p>
      {problem && <p class="problem">The service did not take it: {problem} The courier can still scan the code.</p>}
    </>
  );
}

function sent(waiting: number): string {
  return waiting === 0
    ? "The courier's phone finds it by itself too: it is paid once that phone has sent it."
    : 'There is no network here, so it waits to be sent. The courier can scan it now, and is paid once its phone has a network.';
}
