import { useRead } from '../data/service.js';
import { serviceUrl } from '../data/shell.js';
import { Action, Told } from '../wallet/Connect.js';
import form from '../wallet/form.module.css';
import { useDoing } from '../wallet/useDoing.js';
import styles from './door.module.css';
import { qrImage } from './qr.js';
import { trackLink } from './trackLink.js';
import { t } from '../language.js';

/** The link for who receives a package, to be passed on, and what who has it can do. Rule D-90. */
export function ReceiverLink({ packageId, words }: { packageId: string; words: string }) {
  const { data: config } = useRead('getConfig');
  const doing = useDoing();
  if (!config) return null;
  const { link, isOnlyHere } = trackLink(packageId, words, { serviceUrl, publicUrl: config.publicUrl });
  const share = () => navigator.share({ title: t('Your delivery'), url: link }).catch(unlessClosed);
  return (
    <div className={form.step}>
      <p>{t('Send this link to the receiver and to nobody else. It needs no wallet and no account.')}</p>
      <p className={form.notice}>
        <code>{link}</code>
      </p>
      {isOnlyHere && (
        <p className={form.problem}>{t('This address opens only on this machine: the service has no public one.')}</p>
      )}
      <div className={form.buttons}>
        <Action doing={doing} onPress={() => doing.run(t('Copying it.'), () => copy(link))}>
          {t('Copy the link')}
        </Action>
        {'share' in navigator && (
          <Action doing={doing} onPress={() => doing.run(t('Sharing it.'), share)}>
            {t('Share the link')}
          </Action>
        )}
      </div>
      <Told doing={doing} />
      <details>
        <summary>{t('Show it as a QR code')}</summary>
        <img className={styles.qr} src={qrImage(link)} alt={t("The code of the link, for another phone's camera")} />
      </details>
      <p>
        {t(
          "Anyone with this link can sign for the parcel, whether or not it arrived, which pays the last courier once it is that courier's turn. They can also read the delivery's notes and photographs. The link moves no other money of yours. It cannot be revoked: if it gets into the wrong hands, tell the receiver, and cancel the package if no couriers are chosen yet.",
        )}
      </p>
    </div>
  );
}

async function copy(link: string): Promise<string> {
  // Undefined over plain http.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard === undefined)
    throw new Error(t('This browser cannot copy here. Select the link and copy it by hand.'));
  await clipboard.writeText(link);
  return t('Copied.');
}

/** Who closes the list of apps has not failed. */
function unlessClosed(error: unknown): void {
  if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
}
