import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { followMarket } from './data/live.js';
import { queries } from './data/service.js';
import { speak } from './language.js';
import { App } from './shell/App.js';
import { keepFocus } from './ui/keepFocus.js';
import './tokens.css';

const root = document.getElementById('root');
if (root === null) throw new Error('the shell has no #root');

await speak();
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
keepFocus();
void followMarket();
