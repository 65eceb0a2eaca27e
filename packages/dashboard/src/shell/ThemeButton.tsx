import { useEffect, useState } from 'react';
import { t } from '../language.js';
import { ThemeIcon } from '../ui/icons.js';
import styles from './IconButton.module.css';

type Theme = 'light' | 'dark';
const KEPT = 'theme';

/** Not every browser lets a page keep something. */
function kept(): Theme | undefined {
  try {
    const theme = localStorage.getItem(KEPT);
    return theme === 'light' || theme === 'dark' ? theme : undefined;
  } catch {
    return undefined;
  }
}

const systemTheme = (): Theme => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

/** Follows the system until it is pressed. */
export function ThemeButton() {
  const [chosen, choose] = useState(kept);
  useEffect(() => {
    if (chosen === undefined) return;
    document.documentElement.dataset['theme'] = chosen;
    try {
      localStorage.setItem(KEPT, chosen);
    } catch {
      // It holds for this visit.
    }
  }, [chosen]);
  const other = (chosen ?? systemTheme()) === 'dark' ? 'light' : 'dark';
  return (
    <button
      type="button"
      className={styles.button}
      aria-label={other === 'dark' ? t('Use the dark theme') : t('Use the light theme')}
      onClick={() => choose(other)}
    >
      <ThemeIcon />
    </button>
  );
}
