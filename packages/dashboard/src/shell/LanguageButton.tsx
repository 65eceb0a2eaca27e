import { choose, otherLanguage } from '../language.js';
import styles from './IconButton.module.css';

/** Leads to the other language, in that language: who looks for it may not read this one. */
export function LanguageButton() {
  const [language, name] = otherLanguage();
  return (
    <button type="button" lang={language} className={styles.button} onClick={() => choose(language)}>
      {language.toUpperCase()}
      <span className="visually-hidden">{name}</span>
    </button>
  );
}
