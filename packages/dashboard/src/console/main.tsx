import { PAGES } from '@legwork/protocol/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { type BaseLocationHook, Route, Router } from 'wouter';
import { useBrowserLocation } from 'wouter/use-browser-location';
import { base } from '../data/shell.js';
import { queries } from '../data/service.js';
import { Boundary } from '../ui/Boundary.js';
import { keepFocus } from '../ui/keepFocus.js';
import { ConsoleFrame } from './ConsoleFrame.js';
import '../tokens.css';
import { speak, t } from '../language.js';

const Ops = lazy(() => import('./ops/Ops.js'));
const Desk = lazy(() => import('./desk/Desk.js'));

/** Links of these pages lead to the public ones too, which are another app: the browser loads them. */
const useRoom: BaseLocationHook = () => {
  const [path, go] = useBrowserLocation();
  const isHere = (to: string) => new URL(to, window.location.href).pathname === window.location.pathname;
  return [path, (to, options) => (isHere(to) ? go(to, options) : window.location.assign(to))];
};

/** The pages of who operates the service and of who judges. They share nothing that others load. */
function Console() {
  return (
    <Router base={base.replace(/\/$/, '')} hook={useRoom}>
      <ConsoleFrame>
        <Boundary>
          <Suspense fallback={<p className="visually-hidden">{t('Loading')}</p>}>
            <Route path={PAGES.ops} component={Ops} />
            <Route path={PAGES.desk} component={Desk} />
          </Suspense>
        </Boundary>
      </ConsoleFrame>
    </Router>
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('the shell has no #root');
await speak();
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Console />
    </QueryClientProvider>
  </StrictMode>,
);
keepFocus();
