import { isPresent, withOpened } from '@jwt-auth/test-support'
import { type Fleet, type FleetSettings, findViolations, openFleet } from '../cluster/fleet.js'
import { createRecorder } from '../cluster/recorder.js'
import { crowdedLimit, crowdUser } from '../cluster/scenarios/crowded-user.js'
import { killUnderLoad, loseRefreshResponse, loseRevokeResponse } from '../cluster/scenarios/killed-instances.js'
import { refreshAtBarrier, refreshInBurst } from '../cluster/scenarios/refreshes.js'
import { revokeUnderSlowLookups } from '../cluster/scenarios/revocation.js'
import { findStores, type Store } from '../cluster/stores.js'
import type { Random } from '../random.js'
import { isFinished, type Scenario, type ScenarioContext } from './run-soak.js'

interface Rounds {
  readonly settings: (random: Random) => FleetSettings
  /** The number of faults in a round. @default 0 */
  readonly faults?: number
  readonly round: (fleet: Fleet, random: Random) => Promise<unknown>
}

const rounds: Readonly<Record<string, Rounds>> = {
  'refreshes-at-a-barrier': {
    settings: ({ between }) => ({ size: between(2, 4), graceSeconds: between(0, 2) * 15 }),
    round: (fleet, random) =>
      refreshAtBarrier(fleet, { userId: random.between(1, 1_000), count: random.between(2, 80) }),
  },
  'bursts-of-refreshes': {
    settings: () => ({ size: 2 }),
    round: async (fleet, random) => {
      const burst = { userId: random.between(1, 1_000), clients: random.between(33, 200), refreshesEach: 10 }
      const outcomes = await refreshInBurst(fleet, burst)
      const failed = outcomes.filter(({ kind }) => kind !== 'granted').length
      if (failed > 0) throw new Error(`${failed} of ${outcomes.length} refreshes of a burst were not granted.`)
    },
  },
  revocations: {
    settings: () => ({ size: 4 }),
    round: (fleet, random) => {
      const userIds = Array.from({ length: random.between(1, 12) }, (_, position) => position + 1)
      return revokeUnderSlowLookups(fleet, userIds)
    },
  },
  'lost-responses': {
    settings: () => ({}),
    faults: 1,
    round: (fleet, random) =>
      (random.isOneIn(2) ? loseRefreshResponse : loseRevokeResponse)(fleet, random.between(1, 1_000)),
  },
  'killed-instances': {
    settings: ({ between }) => ({ size: between(2, 4) }),
    faults: 1,
    round: killUnderLoad,
  },
  'crowded-users': {
    settings: ({ between }) => ({ size: between(2, 4), maxSessionsPerUser: crowdedLimit }),
    round: async (fleet, random) => {
      const crowd = { userId: random.between(1, 1_000), clients: 8, mayContinue: (steps: number) => steps < 25 }
      const active = await crowdUser(fleet, random, crowd)
      if (active > crowdedLimit) throw new Error(`A user has ${active} sessions; the limit is ${crowdedLimit}.`)
    },
  },
}

const roundsPerFleet = 10

/**
 * Runs rounds on one store after another, with a new fleet for each. Each round has its own
 * history.
 */
const runOnEachStore = async (context: ScenarioContext, rounds: Rounds): Promise<void> => {
  const stores = (await findStores()).filter(isPresent)
  for (let visits = context.random.between(0, stores.length - 1); !isFinished(context); visits += 1) {
    const store = stores[visits % stores.length]
    if (store === undefined) return
    const settings = rounds.settings(context.random)
    await withOpened(openFleet(store, settings), (fleet) => runRounds(fleet, { context, rounds, store }))
  }
}

const runRounds = async (
  started: Fleet,
  { context, rounds, store }: { readonly context: ScenarioContext; readonly rounds: Rounds; readonly store: Store },
): Promise<void> => {
  // At least one round: on a busy machine, starting a fleet may take longer than a turn.
  for (let count = 0; count === 0 || (count < roundsPerFleet && !isFinished(context)); count += 1) {
    const fleet = { ...started, recorder: createRecorder() }
    await rounds.round(fleet, context.random)
    const violations = await findViolations(fleet)
    const operations = fleet.recorder.history().length
    context.report({ store: store.name, rounds: 1, operations, faults: rounds.faults ?? 0, violations })
  }
}

/** Several processes over each store, with random parameters. */
export const processScenarios: readonly Scenario[] = Object.entries(rounds).map(([name, one]) => ({
  name,
  run: (context) => runOnEachStore(context, one),
}))
