import type { ReactNode } from 'react';
import { useRead } from '../data/service.js';
import form from './form.module.css';

/** For pages on which browsers allow no signing: where they do. @param path of the page @param children what else there is */
export function Insecure({ path, children }: { path: string; children?: ReactNode }) {
  const { data: config } = useRead('getConfig');
  const url = config?.publicUrl.startsWith('https:') ? config.publicUrl + path : undefined;
  return (
    <p className={form.notice}>
      This page came over plain http, where no wallet can sign. Open it{' '}
      {url ? (
        <>
          at <a href={url}>{url}</a>
        </>
      ) : (
        'over https, or at localhost'
      )}
      {children}.
    </p>
  );
}
