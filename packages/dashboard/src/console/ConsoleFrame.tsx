import { PAGES } from '@legwork/protocol/contract';
import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'wouter';
import styles from '../shell/Frame.module.css';
import { LanguageButton } from '../shell/LanguageButton.js';
import { ThemeButton } from '../shell/ThemeButton.js';
import { LogoIcon } from '../ui/icons.js';
import { base } from '../data/shell.js';
import { t } from '../language.js';

const HERE: readonly string[] = [PAGES.ops, PAGES.desk];

/** What stands around the pages of operators and arbiters: the way to the public ones, and the theme. */
export function ConsoleFrame({ children }: { children: ReactNode }) {
  const [location] = useLocation();
  useEffect(() => {
    // The public pages are another app: the browser loads what a link of this one leads to.
    if (!HERE.includes(location)) window.location.reload();
  }, [location]);
  return (
    <div className={styles.frame}>
      <a href="#main" className={styles.skip}>
        {t('Skip to the page')}
      </a>
      <header className={styles.bar}>
        <a href={base} className={styles.logo} aria-label={t('Legwork, overview')}>
          <LogoIcon />
          <span>Legwork</span>
        </a>
        <div className={styles.states}>
          <LanguageButton />
          <ThemeButton />
        </div>
      </header>
      <main id="main" tabIndex={-1} className={styles.main}>
        {children}
      </main>
    </div>
  );
}
