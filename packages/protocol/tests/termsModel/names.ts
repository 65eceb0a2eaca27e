/** The moves that anybody can make in the machine of terms. */
export type MoveName =
  | 'accept'
  | 'accept and take'
  | 'take'
  | 'vacate'
  | 'vacate overdue'
  | 'assign'
  | 'claim'
  | 'dispute'
  | 'confirm'
  | 'hand off'
  | 'crank'
  | 'pay ruling'
  | 'rule'
  | 'rule 0'
  | 'default'
  | 'agree'
  | 'agree 0'
  | 'reclaim'
  | 'reclaim early'
  | 'settle';

/** A rule done wrong on purpose, to see that the model finds it. */
export type Mistake =
  | 'anyone vacates a custodian'
  | 'claims after the deadline'
  | 'handoffs after the deadline'
  | 'free leave after the clock'
  | 'a default divides both stakes'
  | 'rulings after the clock'
  | 'reclaim a grace after claims'
  | 'a payee that refuses stops its confirmation'
  | 'a replacement restarts the claim'
  | 'one formation number for the swarm'
  | 'reclaim keeps stakes of accepted legs'
  | 'handoffs of legs that were not taken';
