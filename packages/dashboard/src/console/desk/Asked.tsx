import type { DigitalTaskDetail, PackageDetail } from '@legwork/sdk';
import { useEffect, useState } from 'react';
import { useRead } from '../../data/service.js';
import type { Subject } from '../../pages/turns/subject.js';
import { PlaceName } from '../../places/PlaceName.js';
import { attempt, Check, type CheckState } from '../../ui/Check.js';
import { LongText } from '../../ui/LongText.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { Time } from '../../ui/Time.js';
import { Title } from '../../ui/Title.js';
import { locale, rich, t } from '../../language.js';

/** What was to be done, by the words that the lister signed: this browser holds them against the ledger. */
export function Asked({ subject }: { subject: Subject }) {
  const { kind, id, text } = subject;
  const parcel = useRead('getPackage', kind === 'package' ? { packageId: id } : 'nothing').data;
  const task = useRead('getDigitalTask', kind === 'task' ? { taskId: id } : 'nothing').data;
  return (
    <Panel title={t('What was asked for')} beside={<Title page={kind} id={id} text={text} />}>
      {parcel && <Facts of={ofParcel(parcel, subject)} />}
      {task && <Facts of={ofTask(task, subject)} />}
    </Panel>
  );
}

type Fact = Parameters<typeof Facts>[0]['of'][number];

function ofParcel(parcel: PackageDetail, subject: Subject): Fact[] {
  const { originLat, originLng, destLat, destLng, weightKg, volumeLitres, swarm } = parcel;
  const leg = swarm?.legs.find(({ id }) => id === subject.leg.id);
  const place = (lat: number, lng: number) => <PlaceName of={{ lat, lng }} />;
  return [
    [t('Description'), <LongText key="text" text={parcel.description} />],
    [t('Size'), `${weightKg.toLocaleString(locale)} kg, ${volumeLitres.toLocaleString(locale)} l`],
    [t('Whole way'), <Way key="way" from={place(originLat, originLng)} to={place(destLat, destLng)} />],
    ...(leg
      ? [
          [
            t('Leg {number} of {legs}', { number: leg.legIndex + 1, legs: swarm?.legs.length ?? 0 }),
            <Way key="leg" from={place(leg.pickupLat, leg.pickupLng)} to={place(leg.dropoffLat, leg.dropoffLng)} />,
          ] as const,
        ]
      : []),
    ...bound(parcel.deadline, subject),
  ];
}

function ofTask(task: DigitalTaskDetail, subject: Subject): Fact[] {
  const leg = task.legs.find(({ id }) => id === subject.leg.id);
  return [
    [t('Description'), <LongText key="text" text={task.description} />],
    [
      t('Leg {number} of {legs}', { number: subject.leg.legIndex + 1, legs: task.legs.length }),
      <LongText key="leg" text={leg?.instruction ?? ''} />,
    ],
    ...bound(task.deadline, subject),
  ];
}

const bound = (deadline: Date, subject: Subject): Fact[] => [
  [t('Deadline'), <Time key="deadline" at={deadline} />],
  [t('Words and terms'), <Held key="held" subject={subject} />],
];

const Way = ({ from, to }: { from: React.ReactNode; to: React.ReactNode }) => rich('from {from} to {to}', { from, to });

/** Made by itself: nobody should judge by words that were changed. */
function Held({ subject: { check, id } }: { subject: Subject }) {
  const [state, setState] = useState<CheckState>('checking');
  const [make] = useState(() => check);
  const again = () => {
    setState('checking');
    void attempt(make).then(setState);
  };
  useEffect(() => {
    let isShown = true;
    void attempt(make).then((made) => isShown && setState(made));
    return () => {
      isShown = false;
    };
  }, [make, id]);
  return <Check label={t('Check on the ledger')} state={state} check={again} />;
}
