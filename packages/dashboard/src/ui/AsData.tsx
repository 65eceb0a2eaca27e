import type { DigitalTaskDetail, PackageDetail } from '@legwork/sdk';
import { base } from '../data/shell.js';
import { t } from '../language.js';

/** A listing as the service answers it, to look at and, where it is whole, to keep: its papers are in that. Rule D-111. */
export function AsData({ of, path }: { of: PackageDetail | DigitalTaskDetail; path: string }) {
  const href = `${base}${path}/${of.id}`;
  return (
    <>
      <a href={href}>JSON</a>{' '}
      {of.documentKnown && !of.erasedAt && (
        <a href={href} download={`${of.id}.papers.json`}>
          {t('Papers')}
        </a>
      )}
    </>
  );
}
