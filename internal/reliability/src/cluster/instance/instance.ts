/**
 * The program of one instance: an application with `jwtAuth` over a storage, in its own process. Its argument is described in
 * `instance-settings.ts` and its messages in `instance-protocol.ts`. `start-instance.ts` starts it.
 */
import { type AuthError, jwtAuth } from '@jwt-auth/express'
import { plantDefect } from '../../defects.js'
import { withApplicationRoute } from './application-route.js'
import { createInstanceListener } from './instance-listener.js'
import type { InstanceMessage, InstanceReport, NumberedOrder, Order } from './instance-protocol.js'
import { listen } from './instance-server.js'
import { parseInstanceSettings } from './instance-settings.js'
import { createInstanceUsers } from './instance-users.js'
import { openStorage } from './open-storage.js'
import { createStorageGate } from './storage-gate.js'

const settings = parseInstanceSettings(process.argv[2])
const unhandledRejections: string[] = []
const errorCounts: Record<string, number> = {}
const lastErrors: string[] = []

process.on('unhandledRejection', (reason) => unhandledRejections.push(String(reason)))
process.once('disconnect', () => process.exit(1))

const opened = await openStorage(settings.storageUrl, settings)
const gate = createStorageGate(opened.storage, () => process.kill(process.pid, 'SIGKILL'))

const noteError = (error: AuthError): void => {
  errorCounts[error.code] = (errorCounts[error.code] ?? 0) + 1
  const text = `${error.code}: ${error.cause instanceof Error ? error.cause.message : error.message}`
  lastErrors.splice(0, Math.max(0, lastErrors.push(text) - 20))
}

const unlimited = { points: 1_000_000, durationSeconds: 60 }

const auth = jwtAuth({
  ...settings.options,
  // All instances share this secret. It protects nothing.
  secret: 'vX2h-7Qm_Lr9Tz4KpW0sYb6NcD1fGjE8',
  issuer: 'https://reliability.example',
  ...plantDefect(settings.defect, { storage: gate.storage, users: createInstanceUsers(settings.passwordChangesFile) }),
  // All clients have one address and few users, and many present invalid tokens on purpose.
  rateLimits: {
    tokens: unlimited,
    successfulLogins: unlimited,
    accountAndNetwork: unlimited,
    account: unlimited,
    network: unlimited,
    knownNetwork: unlimited,
  },
  onError: noteError,
})
const server = await listen(withApplicationRoute(auth, await createInstanceListener(auth, settings.framework)))

const report = (): InstanceReport => {
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  const pool = opened.readPool()
  return { pool, heapUsedBytes: heapUsed, residentBytes: rss, unhandledRejections, errorCounts, lastErrors }
}

const carryOut = async (order: Order): Promise<InstanceReport | null> => {
  switch (order.kind) {
    case 'set-gate':
      gate.set(order.methods, order.mode)
      return null
    case 'await-held':
      await gate.awaitHeld(order.method, order.count)
      return null
    case 'die-after':
      gate.dieAfter(order.method, order.count)
      return null
    case 'occupy-pool':
      await opened.occupyPool()
      return null
    case 'free-pool':
      await opened.freePool()
      return null
    case 'report':
      return report()
  }
}

const send = (message: InstanceMessage): void => {
  process.send?.(message)
}

process.on('message', ({ number, order }: NumberedOrder) => {
  void carryOut(order).then((response) => send({ number, response }))
})

process.once('SIGTERM', () => {
  void server
    .stop()
    .then(() => auth.close())
    .then(() => opened.close())
    .then(() => process.exit(unhandledRejections.length === 0 ? 0 : 1))
})

send({ listening: server.url })
