import { needs } from '@jwt-auth/test-support/describe-each'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  loseConnections,
  lostConnections,
  runLeavingClients,
  shutDown,
  survived,
} from '../../src/faults/interruptions.js'
import { onEachStage, openStages, type Stage } from '../../src/faults/stage.js'
import { watchStage } from '../../src/faults/watch.js'
import { createRandom } from '../../src/random.js'
import { declareMissingServers, findAnyServer } from './support/fault-tests.js'

const times = 3
const requests = 60
const users = 12
const anyServer = await findAnyServer()

let stages: readonly Stage[]
beforeAll(async () => {
  // Long enough for a busy machine.
  stages = await openStages(5_000)
})
afterAll(() => Promise.all(stages.map(({ close }) => close())))

describe('a refresh that loses its connection to the database', needs(anyServer), () => {
  it.each(lostConnections.map((lost) => [lost.moment, lost] as const))(
    '%s fails with 503, and retries lead to one refresh token: three times',
    async (_, lost) => {
      const violations = await onEachStage(stages, async (stage) => {
        const watch = watchStage(stage)
        const refreshes = await loseConnections(stage, watch, { lost, times })
        expect(refreshes).toEqual([survived, survived, survived])
        return watch.findViolations()
      })
      expect(violations).toEqual([])
    },
  )
})

describe('clients that abort one of five requests', needs(anyServer), () => {
  it('receive only their own responses, and lose nothing', async () => {
    const violations = await onEachStage(stages, async (stage) => {
      const report = await runLeavingClients(stage, { random: createRandom(1), requests })
      expect(report.aborted).toBeGreaterThan(requests / 20)
      return report.violations
    })
    expect(violations).toEqual([])
  })
})

// The last test, since it ends the services of all stages.
describe('a service that is stopped under load', needs(anyServer), () => {
  it('responds to the requests in progress, accepts no new connection, and exits with 0', async () => {
    const results = await Promise.all(stages.map(({ instance }) => shutDown(instance, users)))
    expect(results).toEqual(
      stages.map(() => ({
        visits: new Array(users).fill('authenticated'),
        refreshes: new Array(users).fill('granted'),
        ending: { code: 0, signal: null, stderr: '' },
      })),
    )
  })
})

await declareMissingServers()
