import type { RelayEvent } from '@legwork/protocol/contract';
import { useRead } from '../../data/service.js';

/** What packages and tasks are called, by id: as far as the map and the events say it. */
export function useTitles(events: readonly RelayEvent[]): ReadonlyMap<string, string> {
  const { data } = useRead('listRelays');
  const packages = (data?.items ?? []).map(({ id, description }) => [id, description] as const);
  const tasks = events.flatMap((event) => (event.type === 'TASK_LISTED' ? [[event.taskId, event.title] as const] : []));
  return new Map([...packages, ...tasks].filter(([, title]) => title.trim() !== ''));
}
