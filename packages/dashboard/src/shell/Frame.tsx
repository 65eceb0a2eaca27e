import { PAGES } from '@legwork/protocol/contract';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useRoute } from 'wouter';
import {
  AgentIcon,
  CarryIcon,
  CodeIcon,
  HomeIcon,
  LogoIcon,
  PackageIcon,
  PostIcon,
  RewardIcon,
  TaskIcon,
  TurnIcon,
} from '../ui/icons.js';
import { useNow } from '../data/clock.js';
import { m, t } from '../language.js';
import { useConnection } from '../data/live.js';
import { ConnectionState } from './ConnectionState.js';
import styles from './Frame.module.css';
import { KeysDialog } from './KeysDialog.js';
import { LanguageButton } from './LanguageButton.js';
import { Search } from './Search.js';
import { ThemeButton } from './ThemeButton.js';

const PLACES = [
  { path: PAGES.overview, name: m('Overview'), Icon: HomeIcon },
  { path: PAGES.post, name: m('Post'), Icon: PostIcon },
  { path: PAGES.courier, name: m('Carry'), Icon: CarryIcon },
  { path: PAGES.turns, name: m('Turns'), Icon: TurnIcon },
  { path: PAGES.packages, name: m('Packages'), Icon: PackageIcon },
  { path: PAGES.tasks, name: m('Tasks'), Icon: TaskIcon },
  { path: PAGES.agents, name: m('Agents'), Icon: AgentIcon },
  { path: PAGES.rewards, name: m('Rewards'), Icon: RewardIcon },
  { path: PAGES.developers, name: m('Developers'), Icon: CodeIcon },
] as const;

/** What stands around every page: where one can go, and how it stands with the service. */
export function Frame({ children }: { children: ReactNode }) {
  const isOld = useIsOld();
  return (
    <div className={styles.frame}>
      <a href="#main" className={styles.skip}>
        {t('Skip to the page')}
      </a>
      <header className={styles.bar}>
        <Link href={PAGES.overview} className={styles.logo} aria-label={t('Legwork, overview')}>
          <LogoIcon />
          <span>Legwork</span>
        </Link>
        <Search />
        <div className={styles.states}>
          <ConnectionState />
          <KeysDialog />
          <LanguageButton />
          <ThemeButton />
        </div>
      </header>
      <nav className={styles.nav} aria-label={t('Pages')}>
        <ul>
          {PLACES.map((place) => (
            <Place key={place.path} {...place} />
          ))}
        </ul>
      </nav>
      <main id="main" tabIndex={-1} className={styles.main} data-old={isOld}>
        {children}
      </main>
    </div>
  );
}

/** Offline for so long, what is shown is no longer current, milliseconds. */
const OLD_AFTER_MS = 60_000;

function useIsOld(): boolean {
  const connection = useConnection();
  const now = useNow();
  return connection.state === 'offline' && now - connection.since.getTime() > OLD_AFTER_MS;
}

function Place({ path, name, Icon }: (typeof PLACES)[number]) {
  const [isHere] = useRoute(path === '/' ? path : `${path}/*?`);
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // On a phone the row is wider than the window.
    if (isHere) item.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [isHere]);
  return (
    <li ref={item}>
      <Link href={path} aria-current={isHere ? 'page' : undefined}>
        <Icon />
        <span>{t(name)}</span>
      </Link>
    </li>
  );
}
