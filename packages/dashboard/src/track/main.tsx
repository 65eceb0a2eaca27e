/** @jsxImportSource preact */
import { render } from 'preact';
import '../tokens.css';
import './track.css';
import { Track } from './Track.js';

/** Of the address: which package, and the words of who receives it, which browsers send to nobody. */
const [, id = ''] = /\/track\/([^/]+)$/u.exec(location.pathname) ?? [];
const words = decodeURIComponent(location.hash.slice(1));

const root = document.getElementById('root');
if (root === null) throw new Error('the shell has no #root');
render(<Track id={decodeURIComponent(id)} words={words} />, root);
void navigator.serviceWorker?.register(
  new URL('worker.js', new URL(document.documentElement.dataset['base'] ?? '/', location.href)),
);
