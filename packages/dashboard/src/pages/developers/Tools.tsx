import { useQuery } from '@tanstack/react-query';
import { z } from 'zod';
import { serviceUrl } from '../../data/shell.js';
import { Loaded } from '../../ui/Loaded.js';
import { Panel } from '../../ui/Panel.js';
import styles from './developers.module.css';
import { t } from '../../language.js';

/** What of the manifest is shown. Rule S-88. */
const manifest = z.object({
  tools: z.array(z.object({ name: z.string(), title: z.string(), description: z.string() })),
});

async function readTools(signal: AbortSignal) {
  const answer = await fetch(`${serviceUrl}/mcp/tools`, { signal });
  if (!answer.ok) throw new Error(t('The service cannot list its tools right now.'));
  return manifest.parse(await answer.json()).tools;
}

/** The tools of the service's MCP, as it lists them to models. */
export function Tools() {
  const query = useQuery({ queryKey: ['tools'], queryFn: ({ signal }) => readTools(signal) });
  return (
    <Panel
      title={t('Tools')}
      beside={query.data && t('{count} tools, each also an API route', { count: query.data.length })}
    >
      <Loaded query={query} rows={14}>
        {(tools) => (
          <ul className={styles.tools}>
            {tools.map(({ name, title, description }) => (
              <li key={name}>
                <details>
                  <summary>
                    <code>{name}</code> <span>{title}</span>
                  </summary>
                  <p>{description}</p>
                </details>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}
