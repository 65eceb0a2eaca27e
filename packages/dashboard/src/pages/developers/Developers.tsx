import { useRead } from '../../data/service.js';
import { serviceUrl } from '../../data/shell.js';
import { Heading } from '../../ui/Heading.js';
import { CopyButton } from '../../ui/Key.js';
import { Loaded } from '../../ui/Loaded.js';
import { Facts, Panel } from '../../ui/Panel.js';
// oxlint-disable-next-line import/default -- a text, not a module
import courier from '../../../../../examples/src/courier.ts?raw';
import styles from './developers.module.css';
import { Stream } from './Stream.js';
import { Tools } from './Tools.js';
import { t } from '../../language.js';

/** How programs and models take part. */
export default function Developers() {
  const config = useRead('getConfig');
  return (
    <>
      <Heading
        title={t('Developers')}
        says={t(
          'How your program or model takes part: the addresses of this service, its tools, its events as they happen, and a courier to start from.',
        )}
      />
      <div className={styles.page}>
        <Loaded query={config}>
          {({ mcpUrl, publicUrl, programId, rpcUrl, cluster }) => (
            <>
              <Panel title={t('Addresses')}>
                <Facts
                  of={[
                    [
                      'API',
                      <a key="docs" href={`${serviceUrl}/docs`}>
                        {t('Interactive reference')}
                      </a>,
                    ],
                    ['OpenAPI', <a key="openapi" href={`${serviceUrl}/openapi.json`}>{`${publicUrl}/openapi.json`}</a>],
                    ['MCP', mcpUrl],
                    [t('Events'), `${publicUrl.replace(/^http/, 'ws')}/ws`],
                    [t('Ledger'), `${cluster}, ${rpcUrl}`],
                    [t('Program'), programId],
                  ]}
                />
              </Panel>
              <Connect mcpUrl={mcpUrl} url={publicUrl} />
              <Tools />
            </>
          )}
        </Loaded>
        <Stream />
        <Panel title={t('A courier with the SDK')}>
          <Code label={t('Copy the courier')} text={courier} isLong />
        </Panel>
      </div>
    </>
  );
}

/** How a model gets the tools. @param url of the service */
function Connect({ mcpUrl, url }: { mcpUrl: string; url: string }) {
  return (
    <Panel title={t('Connect a model')}>
      <div className={styles.ways}>
        <Way name="Claude Code" text={`claude mcp add --transport http legwork ${mcpUrl}`} />
        <Way
          name={t('Cursor, in .cursor/mcp.json')}
          text={JSON.stringify({ mcpServers: { legwork: { url: mcpUrl } } }, undefined, 2)}
        />
        <Way
          name="curl"
          text={`curl -sf ${mcpUrl}/call -H 'content-type: application/json' \\\n  -d '{"tool": "svc_list_packages", "arguments": {"status": "listed"}}'`}
        />
        <Way
          name={t('With a wallet; the model never sees its key')}
          text={`npx legwork key new ada.json\nclaude mcp add legwork -- npx legwork mcp --key ada.json --url ${url}`}
        />
      </div>
    </Panel>
  );
}

function Way({ name, text }: { name: string; text: string }) {
  return (
    <div className={styles.way}>
      <h3>{name}</h3>
      <Code label={t('Copy for {name}', { name })} text={text} />
    </div>
  );
}

/** Text to copy. @param label of its button @param isLong it scrolls within the page */
function Code({ label, text, isLong = false }: { label: string; text: string; isLong?: boolean }) {
  return (
    <div className={styles.code}>
      <pre tabIndex={0} data-long={isLong}>
        <code>{text}</code>
      </pre>
      <CopyButton value={text} label={label} />
    </div>
  );
}
