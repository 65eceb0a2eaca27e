import { Component, type ReactNode } from 'react';
import { isUnanswered } from '../data/faultWords.js';
import { Problem } from './Problem.js';

interface Props {
  readonly children: ReactNode;
  /** What stands in the place of what failed; default: that it did. A mistake of the page's own is in the console. */
  readonly instead?: ReactNode;
}

/** Keeps a failure of what it holds to itself. */
export class Boundary extends Component<Props, { hasFailed: boolean; error?: unknown }> {
  override state: { hasFailed: boolean; error?: unknown } = { hasFailed: false };

  static getDerivedStateFromError(error: unknown): { hasFailed: boolean; error?: unknown } {
    return { hasFailed: true, error: isUnanswered(error) ? error : undefined };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return this.props.instead ?? <Problem error={this.state.error} retry={() => window.location.reload()} />;
  }
}
