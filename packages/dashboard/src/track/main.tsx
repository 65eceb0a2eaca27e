/** @jsxImportSource preact */
import { render } from 'preact';
import '../tokens.css';
import './track.css';
import { keepOffline } from '../door/offline.js';
import { speak } from '../language.js';
import { keepFocus } from '../ui/keepFocus.js';
import { Track } from './Track.js';

/** Of the address: which package, and the words of who receives it, which browsers send to nobody. */
const [, id = ''] = /\/track\/([^/]+)$/u.exec(location.pathname) ?? [];
const words = decodeURIComponent(location.hash.slice(1));

const root = document.getElementById('root');
if (root === null) throw new Error('the shell has no #root');
await speak();
render(<Track id={decodeURIComponent(id)} words={words} />, root);
keepFocus();
// Without it the page is there all the same.
keepOffline(new URL(document.documentElement.dataset['base'] ?? '/', location.href)).catch(() => undefined);
