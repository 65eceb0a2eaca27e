import { type ComponentType, lazy, Suspense, useEffect } from 'react';
import { Link, Route, Router, Switch, useLocation } from 'wouter';
import { Boundary } from '../ui/Boundary.js';
import { Heading } from '../ui/Heading.js';
import { type PageName, PAGES } from '@legwork/protocol/contract';
import { base } from '../data/shell.js';
import { t } from '../language.js';
import { Frame } from './Frame.js';

function NotFound() {
  return (
    <>
      <Heading title={t('Page not found')} />
      <p>{t('No page has this address.')}</p>
      <p>
        <Link href="/">{t('Go to the overview')}</Link>
      </p>
    </>
  );
}

/** Consignees, operators and arbiters have shells of their own. */
type Page = Exclude<PageName, 'track' | 'ops' | 'desk'>;

/** What shows each page; its code comes when it is needed, or soon after the first page. */
const SHOWN: Readonly<Record<Page, () => Promise<{ default: ComponentType }>>> = {
  overview: () => import('../pages/overview/Overview.js'),
  packages: () => import('../pages/packages/Packages.js'),
  package: () => import('../pages/package/Package.js'),
  tasks: () => import('../pages/tasks/Tasks.js'),
  task: () => import('../pages/task/Task.js'),
  agents: () => import('../pages/agents/Agents.js'),
  agent: () => import('../pages/agent/Agent.js'),
  transaction: () => import('../pages/ledger/Transaction.js'),
  account: () => import('../pages/ledger/Account.js'),
  post: () => import('../pages/post/Post.js'),
  turns: () => import('../pages/turns/Turns.js'),
  courier: () => import('../pages/courier/Courier.js'),
  rewards: () => import('../pages/rewards/Rewards.js'),
  developers: () => import('../pages/developers/Developers.js'),
};

const PREFETCH_AFTER_MS = 4_000;

/** Once the first page stands, the code of the others comes: they open at once, also while the service is away. */
window.addEventListener('load', () => {
  setTimeout(() => {
    for (const load of Object.values(SHOWN)) void load().catch(() => undefined);
  }, PREFETCH_AFTER_MS);
});

const routes = Object.entries(SHOWN).map(([name, load]) => ({ path: PAGES[name as Page], Page: lazy(load) }));

export function App() {
  return (
    <Router base={base.replace(/\/$/, '')}>
      <Frame>
        <Shown />
      </Frame>
    </Router>
  );
}

/** The page of the address. A page that fails does not take the others with it. */
function Shown() {
  const [location] = useLocation();
  useEffect(() => {
    // Going back, the browser knows where the page was.
    if (isMoved && !isBack) window.scrollTo(0, 0);
    isMoved = true;
    isBack = false;
  }, [location]);
  return (
    <Boundary key={location}>
      <Suspense fallback={<p className="visually-hidden">{t('Loading')}</p>}>
        <Switch>
          {routes.map(({ path, Page }) => (
            <Route key={path} path={path} component={Page} />
          ))}
          <Route component={NotFound} />
        </Switch>
      </Suspense>
    </Boundary>
  );
}

let isMoved = false;
let isBack = false;
window.addEventListener('popstate', () => {
  isBack = true;
});
