import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from './proxy/proxied-connection.js'
import type { Stage } from './stage.js'

/** An event that separates a running service from its database for some time. */
export interface Outage {
  readonly name: string
  /** The stores on which a service recovers without a restart. */
  readonly stores: readonly Stage['name'][]
  /** Whether storage is unavailable all the time. */
  readonly isTotal: boolean
  readonly start: (stage: Stage) => Promise<unknown>
  /** Called again and again while it lasts. @default nothing */
  readonly repeat?: (stage: Stage) => Promise<unknown>
  readonly end: (stage: Stage) => Promise<unknown>
}

const anHourMs = 3_600_000

const everyStore = ['PostgreSQL', 'MariaDB', 'Redis'] as const
const pooledStores = ['PostgreSQL', 'MariaDB'] as const

/** Outages from which a service recovers without a restart. */
export const outages: readonly Outage[] = [
  total('a crash and restart of the database', ({ server }) => server.stop('crash'), restartServer),
  total('a shutdown and restart of the database', ({ server }) => server.stop('clean'), restartServer),
  {
    name: 'an administrator who kills all connections repeatedly',
    stores: everyStore,
    isTotal: false,
    start: ({ probe }) => probe.killConnections(),
    repeat: ({ probe }) => probe.killConnections(),
    end: ({ probe }) => probe.killConnections(),
  },
  {
    name: 'a column that is added to the table and dropped again',
    stores: pooledStores,
    isTotal: false,
    start: ({ probe }) => probe.alterSessions("add column tenant varchar(40) not null default 'somebody'"),
    end: ({ probe }) => probe.alterSessions('drop column tenant'),
  },
  {
    name: 'responses of the database that sometimes exceed the deadline',
    stores: everyStore,
    isTotal: false,
    start: delayAroundTheDeadline,
    end: restoreNetwork,
  },
  {
    name: 'an application that uses up its own pool',
    stores: pooledStores,
    isTotal: true,
    start: ({ instance }) => instance.call.occupyPool(),
    end: ({ instance }) => instance.call.freePool(),
  },
  {
    name: 'an application that gives connections back inside of a transaction',
    stores: pooledStores,
    isTotal: false,
    start: ({ instance }) => instance.call.leakTransaction(),
    repeat: ({ instance }) => instance.call.leakTransaction(),
    end: async () => {},
  },
  {
    // Less than the grace window. Then no promise depends on the clock.
    name: 'a clock that is set forward and back by 14 seconds',
    stores: everyStore,
    isTotal: false,
    start: ({ instance }) => instance.call.setClock(14_000),
    repeat: async ({ instance }) => {
      await instance.call.setClock(-14_000)
      await instance.call.setClock(14_000)
    },
    end: ({ instance }) => instance.call.setClock(0),
  },
  total('a network that makes every query exceed the deadline', delayBeyondTheDeadline, restoreNetwork),
  network('a silent network that delivers everything later', { kind: 'delay', way: 'both', delayMs: anHourMs }),
  network('a network that resets every connection', { kind: 'reset' }),
  network('a database host that disappears without closing connections', { kind: 'half-open' }),
  network('a firewall that drops all connections silently', { kind: 'drop', way: 'both' }),
]

/** Runs an outage of `lengthMs`. Resolves to the interval in which it certainly took place. */
export const takePlace = async (outage: Outage, stage: Stage, lengthMs: number): Promise<Interval> => {
  await outage.start(stage)
  const from = performance.now()
  while (performance.now() < from + lengthMs) {
    await pause(Math.min(lengthMs, 50))
    await outage.repeat?.(stage)
  }
  const to = performance.now()
  await outage.end(stage)
  return { from, to }
}

/** Two times by `performance.now()`. */
export interface Interval {
  readonly from: number
  readonly to: number
}

function total(name: string, start: Outage['start'], end: Outage['end']): Outage {
  return { name, stores: everyStore, isTotal: true, start, end }
}

function network(name: string, fault: Fault): Outage {
  return total(name, ({ proxy }) => proxy.setFault(fault), restoreNetwork)
}

function restartServer({ server }: Stage): Promise<void> {
  return server.start()
}

function delayBeyondTheDeadline({ proxy, callTimeoutMs }: Stage): Promise<void> {
  return proxy.setFault({ kind: 'delay', way: 'to-server', delayMs: 4 * callTimeoutMs })
}

function restoreNetwork({ proxy }: Stage): Promise<void> {
  return proxy.setFault({ kind: 'none' })
}

function delayAroundTheDeadline({ proxy, callTimeoutMs }: Stage): Promise<void> {
  let responses = 0
  const nextDelayMs = (): number => {
    responses += 1
    return callTimeoutMs * (responses % 3 === 0 ? 1.1 : 0.4)
  }
  return proxy.setFault({ kind: 'delay', way: 'to-client', delayMs: nextDelayMs })
}
