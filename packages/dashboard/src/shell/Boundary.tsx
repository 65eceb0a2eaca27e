import { Component, type ReactNode } from 'react';
import { Problem } from '../ui/Problem.js';

interface Props {
  readonly children: ReactNode;
  /** What stands in the place of what failed; default: the problem itself. */
  readonly instead?: ReactNode;
}

/** Keeps a failure of what it holds to itself. */
export class Boundary extends Component<Props, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (!('error' in this.state)) return this.props.children;
    return this.props.instead ?? <Problem error={this.state.error} retry={() => window.location.reload()} />;
  }
}
