import type { Outcome } from '../history/operation.js'
import type { Fault } from './proxy/fault.js'
import type { Stage } from './stage.js'
import type { Watch } from './watch.js'

/** When a refresh loses its connection to the database. */
export interface LostConnection {
  readonly moment: string
  readonly at: 'question' | 'answer'
  readonly of: 'lookup' | 'rotation'
}

/** From the first to the last byte that a refresh and the database exchange. */
export const lostConnections: readonly LostConnection[] = [
  { moment: 'as it begins, before its session is looked up', at: 'question', of: 'lookup' },
  { moment: 'in the middle, when its session was looked up', at: 'answer', of: 'lookup' },
  { moment: 'in the middle, before its rotation is written', at: 'question', of: 'rotation' },
  { moment: 'at the commit of its rotation, before it hears of it', at: 'answer', of: 'rotation' },
]

/** What one refresh went through. */
export interface InterruptedRefresh {
  /** What the client heard when the connection was lost. */
  readonly first: Outcome['kind']
  /** What it heard when it sent the same refresh token again. */
  readonly retry: Outcome['kind']
  /** Whether the same token leads once more to the refresh token of the retry. */
  readonly isRepeatable: boolean
  /** What the access token of the retry is good for. */
  readonly visit: Outcome['kind'] | undefined
}

/** A text that only this statement sends. */
const texts: Readonly<Record<Stage['name'], Readonly<Record<LostConnection['of'], string>>>> = {
  PostgreSQL: { lookup: 'where selector_hash', rotation: 'set verifier_hash' },
  MariaDB: { lookup: 'where selector_hash', rotation: 'set verifier_hash' },
  Redis: { lookup: ':selector:', rotation: 'recentVerifiers' },
}

/** Refreshes so many times in one session, and loses the connection each time at the same moment. */
export const loseConnections = async (
  { name, proxy }: Stage,
  { door, recorder }: Watch,
  { lost, times }: { readonly lost: LostConnection; readonly times: number },
): Promise<readonly InterruptedRefresh[]> => {
  const fault: Fault = { kind: 'cut', at: lost.at, text: texts[name][lost.of] }
  // What a server has to learn once, such as a script, it has learned by now.
  const { grant: login } = await recorder.logIn(door, 1)
  let grant = login && (await recorder.refresh(door, login)).grant
  const refreshes: InterruptedRefresh[] = []
  while (grant !== undefined && refreshes.length < times) {
    await proxy.setFault(fault)
    const first = await recorder.refresh(door, grant)
    const retry = await recorder.refresh(door, grant)
    const again = await recorder.refresh(door, grant)
    const visit = retry.grant && (await recorder.visit(door, retry.grant))
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
