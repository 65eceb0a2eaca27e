import type { PackageView } from '@legwork/sdk';
import { Link } from 'wouter';
import { joinPath } from '../../data/joinPath.js';
import { useList, useRead } from '../../data/service.js';
import { AgentLink } from '../../ui/AgentLink.js';
import { Panel } from '../../ui/Panel.js';
import { Title } from '../../ui/Title.js';
import form from '../../wallet/form.module.css';

const SHOWN = 50;

/** The packages of a shipper whose first pickup it is to sign. */
export function Pickups({ shipper }: { shipper: string }) {
  const parcels = useList('listPackages', { shipper, status: 'in_transit', limit: SHOWN });
  return (parcels.data ?? [])
    .filter(({ terms }) => terms?.cosignedPickup)
    .map((one) => <Pickup key={one.id} of={one} />);
}

function Pickup({ of: { id, description } }: { of: PackageView }) {
  const [first] = useRead('getPackage', { packageId: id }).data?.swarm?.legs ?? [];
  if (first?.stage !== 'pending' && first?.stage !== 'accepted') return null;
  return (
    <Panel title="A pickup that you sign too">
      <div className={form.step}>
        <Title page="package" id={id} text={description} />
        <p>
          When you hand it over, <AgentLink pubkey={first.agentPubkey} /> signs that it has it, and then you.
        </p>
        <Link href={joinPath('package', id, first.id, { action: 'take' })}>Sign the pickup</Link>
      </div>
    </Panel>
  );
}
