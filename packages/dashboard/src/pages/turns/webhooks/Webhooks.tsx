import type { WebhookView } from '@legwork/protocol/contract';
import { useState } from 'react';
import { Panel } from '../../../ui/Panel.js';
import { Action, Told } from '../../../wallet/Connect.js';
import form from '../../../wallet/form.module.css';
import { actingFor, type Session } from '../../../wallet/session.js';
import { useDoing } from '../../../wallet/useDoing.js';
import { AddForm } from './AddForm.js';
import { byNeed, SIGNING } from './draft.js';
import { Hook } from './Hook.js';
import { t } from '../../../language.js';

/** The webhooks of the connected key: only that key can read them, so they are shown once it has signed. Rule D-50. */
export default function Webhooks({ session }: { session: Session }) {
  const doing = useDoing();
  const [hooks, setHooks] = useState<readonly WebhookView[]>();
  const [added, setAdded] = useState(0);
  const say = (words: string) => doing.run('', () => Promise.resolve(words));
  const read = async () => setHooks((await actingFor(session).client.listWebhooks()).items);
  const change = (id: string, next: WebhookView | undefined) => {
    setHooks((before) => before?.flatMap((one) => (one.id === id ? (next ?? []) : one)));
    if (next === undefined) say(t('The webhook is deleted.'));
  };
  const add = (hook: WebhookView) => {
    setHooks((before) => [...(before ?? []), hook]);
    setAdded(added + 1);
    say(t('The webhook is registered. Its secret is not shown again.'));
  };
  const disabled = hooks?.filter(({ status }) => status === 'disabled').length ?? 0;
  return (
    <Panel title={t('Webhooks')}>
      <div className={form.step}>
        <p>{t('The service posts events to your address, even while you are away.')}</p>
        <p role="status" className={form.problem}>
          {disabled > 0 && t('{count} disabled: nothing is sent there until you deliver again.', { count: disabled })}
        </p>
        {hooks && byNeed(hooks).map((hook) => <Hook key={hook.id} hook={hook} session={session} change={change} />)}
        {hooks?.length === 0 && <p>{t('This key has none.')}</p>}
        <Action doing={doing} onPress={() => doing.run(t(SIGNING), read)}>
          {hooks ? t('Refresh') : t('Show your webhooks')}
        </Action>
        <Told doing={doing} />
        {hooks && <AddForm key={added} session={session} added={add} />}
      </div>
    </Panel>
  );
}
