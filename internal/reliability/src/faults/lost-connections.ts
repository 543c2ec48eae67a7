import type { Outcome } from '../history/operation.js'
import type { Fault } from './proxy/proxied-connection.js'
import type { Stage } from './stage.js'
import type { Watch } from './watch.js'

/** A moment at which a refresh loses its connection to the database. */
export interface LostConnection {
  readonly moment: string
  readonly at: 'request' | 'response'
  readonly of: 'lookup' | 'rotation'
}

/** All such moments, from the first byte that a refresh and the database exchange to the last. */
export const lostConnections: readonly LostConnection[] = [
  { moment: 'before its session is looked up', at: 'request', of: 'lookup' },
  { moment: 'after its session was looked up', at: 'response', of: 'lookup' },
  { moment: 'before its rotation is written', at: 'request', of: 'rotation' },
  { moment: 'after its rotation was written', at: 'response', of: 'rotation' },
]

/** What happened to one refresh. */
export interface InterruptedRefresh {
  /** The outcome of the refresh that lost the connection. */
  readonly first: Outcome['kind']
  /** The outcome of a retry with the same refresh token. */
  readonly retry: Outcome['kind']
  /** Whether a second retry returns the same refresh token as the first. */
  readonly isRepeatable: boolean
  /** The outcome of a guarded request with the access token of the retry. */
  readonly visit: Outcome['kind'] | undefined
}

/** For each store and each statement, a text that occurs only in that statement. */
const texts: Readonly<Record<Stage['name'], Readonly<Record<LostConnection['of'], string>>>> = {
  PostgreSQL: { lookup: 'where selector_hash', rotation: 'set verifier_hash' },
  MariaDB: { lookup: 'where selector_hash', rotation: 'set verifier_hash' },
  Redis: { lookup: ':selector:', rotation: 'recentVerifiers' },
}

/**
 * Returns whether the refresh failed, both retries returned the same refresh token, and the new
 * access token is valid.
 */
export const hasSurvived = ({ first, retry, isRepeatable, visit }: InterruptedRefresh): boolean =>
  first === 'failed' && retry === 'granted' && isRepeatable && visit === 'authenticated'

/** Refreshes one session several times, and loses the connection at the same moment each time. */
export const loseConnections = async (
  { name, proxy }: Stage,
  { endpoint, recorder }: Watch,
  { lost, times }: { readonly lost: LostConnection; readonly times: number },
): Promise<readonly InterruptedRefresh[]> => {
  const fault: Fault = { kind: 'cut', at: lost.at, text: texts[name][lost.of] }
  // After this refresh the server has loaded what it loads once, such as a script.
  const { grant: login } = await recorder.logIn(endpoint, 1)
  let grant = login && (await recorder.refresh(endpoint, login)).grant
  const refreshes: InterruptedRefresh[] = []
  while (grant !== undefined && refreshes.length < times) {
    await proxy.setFault(fault)
    const first = await recorder.refresh(endpoint, grant)
    const retry = await recorder.refresh(endpoint, grant)
    const again = await recorder.refresh(endpoint, grant)
    const visit = retry.grant && (await recorder.visit(endpoint, retry.grant))
    refreshes.push({
      first: first.outcome.kind,
      retry: retry.outcome.kind,
      isRepeatable: retry.grant?.refreshToken === again.grant?.refreshToken,
      visit: visit?.kind,
    })
    grant = retry.grant
  }
  return refreshes
}
