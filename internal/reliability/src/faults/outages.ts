import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from './proxy/fault.js'
import type { Stage } from './stage.js'

/** Something that keeps a running service from its database for a while. */
export interface Outage {
  readonly name: string
  /** Where a service comes back from it by itself. */
  readonly stores: readonly Stage['name'][]
  /** Whether nothing at all can be asked while it lasts. */
  readonly isTotal: boolean
  readonly begin: (stage: Stage) => Promise<unknown>
  /** What goes on while it lasts. @default nothing */
  readonly goOn?: (stage: Stage) => Promise<unknown>
  readonly end: (stage: Stage) => Promise<unknown>
}

const anHourMs = 3_600_000

const everyStore = ['PostgreSQL', 'MariaDB', 'Redis'] as const
const pooledStores = ['PostgreSQL', 'MariaDB'] as const

/** Outages that a service comes back from by itself. */
export const outages: readonly Outage[] = [
  {
    name: 'a database that crashes and is started again',
    stores: everyStore,
    isTotal: true,
    begin: ({ server }) => server.stop('crash'),
    end: ({ server }) => server.start(),
  },
  {
    name: 'a database that is shut down and started again',
    stores: everyStore,
    isTotal: true,
    begin: ({ server }) => server.stop('clean'),
    end: ({ server }) => server.start(),
  },
  {
    name: 'an administrator who kills every connection, again and again',
    stores: everyStore,
    isTotal: false,
    begin: ({ probe }) => probe.killConnections(),
    goOn: ({ probe }) => probe.killConnections(),
    end: ({ probe }) => probe.killConnections(),
  },
  {
    name: 'columns that somebody adds to the table and takes away again',
    stores: pooledStores,
    isTotal: false,
    begin: ({ probe }) => probe.alterSessions("add column tenant varchar(40) not null default 'somebody'"),
    end: ({ probe }) => probe.alterSessions('drop column tenant'),
  },
  {
    name: 'answers that come a little too late now and then',
    stores: everyStore,
    isTotal: false,
    begin: delayAroundTheDeadline,
    end: mend,
  },
  {
    name: 'a host that uses up its own pool',
    stores: pooledStores,
    isTotal: true,
    begin: ({ instance }) => instance.occupyPool(),
    end: ({ instance }) => instance.freePool(),
  },
  {
    name: 'a network that makes every query slower than the deadline',
    stores: everyStore,
    isTotal: true,
    begin: ({ proxy, storageTimeoutMs }) =>
      proxy.setFault({ kind: 'delay', way: 'to-server', delayMs: 4 * storageTimeoutMs }),
    end: mend,
  },
  network('a network that is silent, and delivers everything later', { kind: 'delay', way: 'both', delayMs: anHourMs }),
  network('a network that resets every connection', { kind: 'reset' }),
  network('a database host that vanishes without a word', { kind: 'half-open' }),
  // A client of Redis has one connection and goes on writing to it: what is to be done stands in docs/reliability.md.
  { ...network('a firewall that forgets every connection', { kind: 'drop', way: 'both' }), stores: pooledStores },
]

/** Lets an outage happen for so many milliseconds; answers when nothing could be asked for certain. */
export const happen = async (outage: Outage, stage: Stage, lengthMs: number): Promise<Interval> => {
  await outage.begin(stage)
  const from = performance.now()
  while (performance.now() < from + lengthMs) {
    await pause(Math.min(lengthMs, 50))
    await outage.goOn?.(stage)
  }
  const to = performance.now()
  await outage.end(stage)
  return { from, to }
}

/** Instants by `performance.now()`. */
export interface Interval {
  readonly from: number
  readonly to: number
}

function network(name: string, fault: Fault): Outage {
  return { name, stores: everyStore, isTotal: true, begin: ({ proxy }) => proxy.setFault(fault), end: mend }
}

function mend({ proxy }: Stage): Promise<void> {
  return proxy.setFault({ kind: 'none' })
}

function delayAroundTheDeadline({ proxy, storageTimeoutMs }: Stage): Promise<void> {
  let answers = 0
  const drawDelayMs = (): number => {
    answers += 1
    return storageTimeoutMs * (answers % 3 === 0 ? 1.1 : 0.4)
  }
  return proxy.setFault({ kind: 'delay', way: 'to-client', delayMs: drawDelayMs })
}
