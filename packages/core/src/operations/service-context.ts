import type { VerifyAccessToken } from '../access-token/verify-access-token.js'
import type { KeyRing } from '../keys/key-ring.js'
import type { Limits } from '../limits/limits.js'
import type { OwnSessions } from '../ports/own-sessions.js'
import type { User, UserDirectory } from '../ports/user-directory.js'
import type { SessionPolicy } from '../session/session-policy.js'
import type { FindSession } from '../session/single-lookup.js'
import type { System } from '../system.js'
import type { WatchClock } from './clock-watch.js'
import type { EmitEvent } from './emit-event.js'
import type { IssueAccessToken } from './issue-access-token.js'
import type { CountRepeat } from './repeat-counter.js'
import type { Reporter } from './reporter.js'

/** What operations are made from. `token-service.ts` puts it together once. */
export interface ServiceContext {
  readonly system: System
  readonly policy: SessionPolicy
  readonly keyRing: Pick<KeyRing, 'serviceSecrets'>
  readonly users: UserDirectory
  readonly issuer: string
  readonly storage: OwnSessions
  readonly findSession: FindSession
  readonly verifyAccessToken: VerifyAccessToken
  readonly issueAccessToken: IssueAccessToken
  readonly readHostClaims: (user: User) => Promise<Readonly<Record<string, unknown>>>
  readonly emit: EmitEvent
  readonly reportFault: Reporter['reportFault']
  readonly limits: Limits
  readonly countRepeat: CountRepeat
  readonly watchClock: WatchClock
  /** Aborts when the service closes. */
  readonly closing: AbortSignal
}
