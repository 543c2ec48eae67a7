import type { Auth } from '../access-token/claims.js'
import { type AuthError, isAuthError } from '../errors/auth-error.js'
import { isRejection } from '../errors/error-table.js'
import type { System } from '../system.js'
import type { EmitEvent } from './listeners.js'

/** What a rejected request presented, and where it came from. */
export interface RejectionOrigin {
  /** The user and the session of its token. `undefined` if the token is missing or invalid. */
  readonly presented?: Pick<Auth, 'userId' | 'sessionId'> | undefined
  /** The address of the client. @default the address is unknown */
  readonly address?: string | undefined
}

/** Emits events, with the clock of the service. */
interface EventContext {
  readonly emit: EmitEvent
  readonly system: Pick<System, 'now'>
}

type Presented = NonNullable<RejectionOrigin['presented']>

/**
 * Remembers the user and the session of a request, for the event of a rejection that follows.
 * Returns them.
 */
export type IdentifyCaller = <P extends Presented>(presented: P) => P

/**
 * Runs the work of a request that presents a token. If it rejects the request, emits
 * `request_rejected` and throws the same error.
 */
export const emitRejections = async <T>(
  context: EventContext,
  address: string | undefined,
  work: (identify: IdentifyCaller) => Promise<T>,
): Promise<T> => {
  let presented: Presented | undefined
  try {
    return await work((found) => {
      presented = found
      return found
    })
  } catch (thrown) {
    if (isAuthError(thrown)) emitRejection(context, thrown, { presented, address })
    throw thrown
  }
}

/**
 * Emits `request_rejected` for an error with the status 401 or 403. Failures of the service and
 * limits have other statuses.
 */
export const emitRejection = (
  { emit, system }: EventContext,
  { code, detail }: AuthError,
  { presented, address }: RejectionOrigin,
): void => {
  if (!isRejection(code)) return
  emit({
    type: 'request_rejected',
    code,
    detail,
    userId: presented?.userId,
    sessionId: presented?.sessionId,
    ipAddress: address ?? null,
    at: new Date(system.now()),
  })
}
