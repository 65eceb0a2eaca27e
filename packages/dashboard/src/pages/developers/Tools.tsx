import { operations, type Operation } from '@legwork/protocol/contract';
import { Panel } from '../../ui/Panel.js';
import styles from './developers.module.css';

/** The operations that models have as tools, in the contracts' order. */
const tools = Object.values<Operation>(operations).flatMap(({ tool, method, path, summary, description }) =>
  tool === undefined ? [] : [{ name: tool.name, route: `${method} ${path}`, summary, description }],
);

/** The tools of the service's MCP, from the same contracts that it serves. */
export function Tools() {
  return (
    <Panel title="Tools" beside={`${tools.length} tools, each also a route of the API`}>
      <ul className={styles.tools}>
        {tools.map(({ name, route, summary, description }) => (
          <li key={name}>
            <details>
              <summary>
                <code>{name}</code> <span>{summary}</span>
              </summary>
              <p>{description}</p>
              <p className={styles.dim}>
                <code>{route}</code>
              </p>
            </details>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
