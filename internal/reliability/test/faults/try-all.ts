import type { Door } from '../../src/cluster/recorder.js'
import type { Watch } from '../../src/faults/watch.js'
import type { Grant } from '../../src/history/operation-log.js'

/** Logs a user in, who must get in. */
export const logIn = async ({ recorder }: Watch, door: Door, userId: number): Promise<Grant> => {
  const { grant, outcome } = await recorder.logIn(door, userId)
  if (grant === undefined) throw new Error(`The login was ${outcome.kind}.`)
  return grant
}

/** What comes of everything that a client can do, one after the other: of a request, validate, refresh, login, revoke. */
export const tryAll = async ({ recorder }: Watch, door: Door, grant: Grant): Promise<readonly string[]> => [
  (await recorder.visit(door, grant)).kind,
  (await recorder.validate(door, grant)).kind,
  (await recorder.refresh(door, grant)).outcome.kind,
  (await recorder.logIn(door, grant.userId)).outcome.kind,
  (await recorder.revoke(door, grant)).kind,
]

/** When all is well. */
export const everything = ['let-in', 'let-in', 'granted', 'granted', 'revoked']

/** When storage can be read and not written. */
export const readsAlone = ['let-in', 'let-in', 'failed', 'failed', 'failed']

/** When storage can't be asked. */
export const nothing = ['failed', 'failed', 'failed', 'failed', 'failed']
