import { Component, type ReactNode } from 'react';
import { Problem } from '../ui/Problem.js';

interface Props {
  readonly children: ReactNode;
  /** What stands in the place of what failed; default: that it did. What went wrong is in the console. */
  readonly instead?: ReactNode;
}

/** Keeps a failure of what it holds to itself. */
export class Boundary extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return this.props.instead ?? <Problem error={undefined} retry={() => window.location.reload()} />;
  }
}
