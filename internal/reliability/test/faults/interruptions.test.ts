import { isPresent } from '@jwt-auth/test-support'
import { describeEach, needs } from '@jwt-auth/test-support/describe-each'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runLeavingClients } from '../../src/faults/leaving-clients.js'
import { loseConnections, lostConnections } from '../../src/faults/lost-connections.js'
import { onEachStage, openStages } from '../../src/faults/open-stages.js'
import { runDeadlocks, withDeadlockTrap } from '../../src/faults/run-deadlocks.js'
import { findOwnServers } from '../../src/faults/servers/own-servers.js'
import { shutDown } from '../../src/faults/shut-down.js'
import type { Stage } from '../../src/faults/stage.js'
import { watchStage } from '../../src/faults/watch.js'
import { createRandom } from '../../src/random.js'
import { logIn } from './try-all.js'

const times = 6
const requests = 100
const users = 12

/** Each store has another framework before it, and more time than a busy machine takes. */
const kinds = await findOwnServers()
/** One kind is enough: each test uses every kind that is present. */
const servers = kinds.find(isPresent) ?? { name: 'a database server', missing: kinds[0]?.missing }

let stages: readonly Stage[]
beforeAll(async () => {
  stages = await openStages({ storageTimeoutMs: 5_000 })
})
afterAll(() => Promise.all(stages.map(({ close }) => close())))

const onEach = async <T>(
  act: (stage: Stage) => Promise<T>,
  among: readonly Stage[] = stages,
): Promise<Readonly<Record<string, T>>> =>
  Object.fromEntries(await Promise.all(among.map(async (stage) => [stage.name, await act(stage)] as const)))

const onEachDatabase: typeof onEach = (act) =>
  onEach(
    act,
    stages.filter(({ name }) => name !== 'Redis'),
  )

/** What is expected of the stores that are there. */
const wherePresent = (expected: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(expected).filter(([name]) => stages.some((stage) => stage.name === name)))

describe('a refresh that loses its connection, six times', needs(servers), () => {
  it.each(lostConnections.map((lost) => [lost.moment, lost] as const))(
    '%s: is 503, consumes nothing, and leads to one refresh token',
    async (_, lost) => {
      const results = await onEach(async (stage) => {
        const watch = watchStage(stage)
        const refreshes = await loseConnections(stage, watch, { lost, times })
        return { refreshes, violations: await watch.findViolations() }
      })
      const refresh = { first: 'failed', retry: 'granted', isRepeatable: true, visit: 'let-in' }
      const expected = { refreshes: Array.from({ length: times }, () => refresh), violations: [] }
      expect(results).toEqual(Object.fromEntries(stages.map(({ name }) => [name, expected])))
    },
  )
})

describe('a refresh whose rotation deadlocks', needs(servers), () => {
  it('six times, is written again by itself, and nobody notices', async () => {
    const results = await onEachDatabase(async (stage) => {
      const watch = watchStage(stage)
      return { reports: await runDeadlocks(stage, watch, times), violations: await watch.findViolations() }
    })
    const inTheMiddle = { moment: 'in the middle', granted: times, deadlocks: times }
    const atItsCommit = { moment: 'at its commit', granted: times, deadlocks: times }
    expect(results).toEqual(
      wherePresent({
        PostgreSQL: { reports: [inTheMiddle, atItsCommit], violations: [] },
        MariaDB: { reports: [inTheMiddle], violations: [] },
      }),
    )
  })

  it('again and again, is 503, and the same refresh token is good when there is peace', async () => {
    const results = await onEachDatabase(async (stage) => {
      const watch = watchStage(stage)
      const { recorder, door } = watch
      const grant = await logIn(watch, door, 1)
      const during = await withDeadlockTrap(stage, async (trap) => {
        await trap.setForGood()
        return recorder.refresh(door, grant)
      })
      const after = await recorder.refresh(door, grant)
      return [during.outcome.kind, after.outcome.kind, await watch.findViolations()]
    })
    const expected = ['failed', 'granted', []]
    expect(results).toEqual(wherePresent({ PostgreSQL: expected, MariaDB: expected }))
  })
})

describe('clients of which one in five breaks its request off', needs(servers), () => {
  it('get answers that are their own, and lose nothing', async () => {
    const violations = await onEachStage(stages, async (stage) => {
      const report = await runLeavingClients(stage, { random: createRandom(1), requests })
      expect(report.brokenOff).toBeGreaterThan(requests / 20)
      return report.violations
    })
    expect(violations).toEqual([])
  })
})

// The last one: it ends the services of all stages.
describe('a service that is stopped under load', needs(servers), () => {
  it('answers what is under way, lets nobody new in, and ends well', async () => {
    const results = await Promise.all(stages.map(({ instance }) => shutDown(instance, users)))
    expect(results).toEqual(
      stages.map(() => ({
        visits: new Array(users).fill('let-in'),
        refreshes: new Array(users).fill('granted'),
        ending: { code: 0, signal: null, stderr: '' },
      })),
    )
  })
})

describeEach(
  kinds.filter((kind) => !isPresent(kind)),
  'the tests of this file on $name',
  () => {
    it('need its programs', () => {})
  },
)
