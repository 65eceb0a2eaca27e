import form from '../../wallet/form.module.css';
import type { Session } from '../../wallet/session.js';
import { signsMessages } from '../../wallet/signer.js';
import { rich } from '../../language.js';

/** A pickup that the shipper signs too is a text: without messages nobody hands the parcel over. Rule D-49. */
export function Wordless({ wallet, account }: Session) {
  if (signsMessages(wallet, account)) return null;
  return (
    <p className={form.notice}>
      {rich(
        '{wallet} cannot sign messages, and with these terms you hand the parcel to its first courier by signing one. Unless that courier offers you a transaction with the SDK (<code>shareOffer</code>) that you sign within a minute, nobody can pick it up: your budget stays locked until the deadline, and a courier that accepts can lose its stake. Connect a wallet that signs messages, or choose Plain, which needs no signature at the pickup.',
        { wallet: wallet.name, code: (inside) => <code>{inside}</code> },
      )}
    </p>
  );
}
