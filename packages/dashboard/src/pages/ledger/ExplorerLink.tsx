import { explorerLink } from '@legwork/protocol/contract';
import { useRead } from '../../data/service.js';

/** The same on a public explorer; nothing for a ledger that no explorer reaches. */
export function ExplorerLink({ kind, value }: { kind: 'tx' | 'address'; value: string }) {
  const { data: config } = useRead('getConfig');
  if (config === undefined || config.cluster === 'embedded') return null;
  return (
    <a href={explorerLink(config, kind, value)} target="_blank" rel="noreferrer">
      Solana Explorer ↗
    </a>
  );
}
