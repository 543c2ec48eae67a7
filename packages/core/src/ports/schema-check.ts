import type { System } from '../system.js'
import type { RunInTime } from './deadline.js'
import type { SessionStorage } from './session-storage.js'
import { requireCompatibleSchema, type StorageStatus } from './storage-status.js'

const askAgainMs = 5_000

/**
 * Makes the check that comes before the calls of a service to its storage. The first call asks for the storage's status. Once the
 * schema was found compatible, the check does nothing more. It rejects while the schema is incompatible.
 *
 * A status that is not available refuses nothing, because the calls themselves may succeed: on a cluster, another node serves
 * them (docs/decisions/0034).
 */
export const createSchemaCheck = (
  storage: SessionStorage,
  { runInTime, now }: { readonly runInTime: RunInTime; readonly now: System['now'] },
): (() => Promise<void> | undefined) => {
  let isDone = storage.status === undefined
  let askAgainAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined

  const readStatus = async (): Promise<StorageStatus | undefined> => {
    try {
      return await runInTime(async (getSignal) => storage.status?.({ signal: getSignal() }))
    } catch {
      return undefined
    }
  }

  const ask = async (): Promise<void> => {
    const status = await readStatus()
    if (status?.isReachable) {
      requireCompatibleSchema(status)
      isDone = true
    } else {
      askAgainAt = now() + askAgainMs
    }
  }

  return () => {
    if (isDone || now() < askAgainAt) return undefined
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }
}
