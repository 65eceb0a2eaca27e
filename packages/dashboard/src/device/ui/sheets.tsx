import type { OwnKey } from '../store.js';
import type { Message } from '../message.js';
import type { Read } from '../transaction.js';
import { MakeWallet } from './MakeWallet.js';
import { MessageSheet } from './MessageSheet.js';
import form from '../../wallet/form.module.css';
import { ask, Sheet } from './Sheet.js';
import styles from './sheet.module.css';
import { TransactionSheet } from './TransactionSheet.js';
import { m, t } from '../../language.js';

const NOT_MADE = m('No wallet was made.');

/** Lets a person make or restore the wallet of this device. @throws {Error} when they do not want to */
export async function makeWallet(): Promise<OwnKey> {
  const made = await ask<OwnKey | undefined>((answer) => <MakeWallet onDone={answer} />);
  if (made === undefined) throw new Error(t(NOT_MADE));
  return made;
}

/** Whether the person signs the message. */
export function askMessage(message: Message, own: string): Promise<boolean> {
  return ask<boolean>((answer) => <MessageSheet message={message} own={own} onAnswer={answer} />);
}

/** Whether the person signs the transaction. */
export function askTransaction(wire: Uint8Array, own: string, read: Read): Promise<boolean> {
  return ask<boolean>((answer) => <TransactionSheet wire={wire} own={own} read={read} onAnswer={answer} />);
}

/** Says something that has to be read. */
export function tell(title: string, text: string): Promise<void> {
  return ask<void>((answer) => (
    <Sheet title={title} onClose={() => answer()}>
      <p>{text}</p>
      <div className={styles.buttons}>
        <button type="button" className={form.button} onClick={() => answer()}>
          {t('Close')}
        </button>
      </div>
    </Sheet>
  ));
}
