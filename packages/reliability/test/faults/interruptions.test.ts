import { connectTo } from '@jwt-auth/test-support'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDeadlockTrap } from '../../src/faults/create-deadlock-trap.js'
import type { DeadlockTrap } from '../../src/faults/deadlock-trap.js'
import { loseConnections, lostConnections } from '../../src/faults/lost-connections.js'
import { openStages } from '../../src/faults/open-stages.js'
import type { Stage } from '../../src/faults/stage.js'
import { type Watch, watchStage } from '../../src/faults/watch.js'

const times = 20
const patientMs = 5_000

let stages: readonly Stage[]
beforeAll(async () => {
  stages = await openStages({ storageTimeoutMs: patientMs })
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

/** Refreshes in one session, and each time into a deadlock; answers how often it got its tokens all the same. */
const springMany = async (trap: DeadlockTrap, { door, recorder }: Watch): Promise<{ readonly granted: number }> => {
  const { outcome, grant: login } = await recorder.logIn(door, 1)
  let granted = 0
  let grant = login
  for (let round = 0; round < times && grant !== undefined && outcome.kind === 'granted'; round += 1) {
    const held = grant
    const answer = await trap.spring(outcome.sessionId, () => recorder.refresh(door, held))
    granted += answer.outcome.kind === 'granted' ? 1 : 0
    grant = answer.grant
  }
  return { granted }
}

describe('a refresh that loses its connection, twenty times', () => {
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

describe('a refresh whose rotation deadlocks', () => {
  it('twenty times, is written again by itself, and nobody notices', async () => {
    const results = await onEachDatabase(async (stage) => {
      const watch = watchStage(stage)
      const knex = connectTo(stage.server.url)
      const trap = createDeadlockTrap(knex)
      const found: unknown[] = []
      for (const moment of trap.moments) {
        await trap.set(moment)
        found.push({ moment, ...(await springMany(trap, watch)), deadlocks: await trap.countDeadlocks() })
      }
      await trap.remove()
      await knex.destroy()
      return { found, violations: await watch.findViolations() }
    })
    const outcome = { granted: times, deadlocks: times }
    expect(results).toEqual({
      PostgreSQL: {
        found: [
          { moment: 'in the middle', ...outcome },
          { moment: 'at its commit', ...outcome },
        ],
        violations: [],
      },
      MariaDB: { found: [{ moment: 'in the middle', ...outcome }], violations: [] },
    })
  })

  it('again and again, is 503, and the same refresh token is good when there is peace', async () => {
    const results = await onEachDatabase(async (stage) => {
      const watch = watchStage(stage)
      const knex = connectTo(stage.server.url)
      const trap = createDeadlockTrap(knex)
      const { grant } = await watch.recorder.logIn(watch.door, 1)
      if (grant === undefined) throw new Error('The login failed.')
      await trap.setForGood()
      const during = await watch.recorder.refresh(watch.door, grant)
      await trap.remove()
      const after = await watch.recorder.refresh(watch.door, grant)
      await knex.destroy()
      return [during.outcome.kind, after.outcome.kind, await watch.findViolations()]
    })
    expect(results).toEqual({ PostgreSQL: ['failed', 'granted', []], MariaDB: ['failed', 'granted', []] })
  })
})
