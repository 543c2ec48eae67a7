import { memoryStorage } from '@jwt-auth/storage-memory'
import { isPresent, withOpened } from '@jwt-auth/test-support'
import type { FrameworkName } from '../cluster/instance/instance-server.js'
import { deploymentKinds, runFailover } from '../failover/run-failover.js'
import { fuzzRoutes, fuzzVerifier } from '../fuzz/fuzz.js'
import { startFuzzHost } from '../fuzz/fuzz-host.js'
import { findCounterexample, formatCounterexample } from '../model/find-counterexample.js'
import { faultScenarios } from './fault-scenarios.js'
import { processScenarios } from './process-scenarios.js'
import { isFinished, type Scenario, type ScenarioContext } from './run-soak.js'

const greatestSeed = 2 ** 31 - 1

/** Searches for a schedule in which the service breaks the model. A round is one schedule. */
const searchSchedules = async ({ random, report }: ScenarioContext): Promise<void> => {
  // Few enough that the scenario checks the clock every few seconds, also while it shortens a
  // counterexample.
  const runs = 200
  const options = { runs, length: 120, seed: random.between(0, greatestSeed), graceSeconds: random.pick([30, 30, 0]) }
  const found = await findCounterexample({ createStorage: () => memoryStorage({ quiet: true }) }, options)
  report({ store: 'memory', rounds: runs, violations: found === undefined ? [] : [formatCounterexample(found)] })
}

/** Fuzzes a service whose storage works. A round is one request or one token. */
const fuzzOn = (
  framework: FrameworkName,
  fuzz: typeof fuzzRoutes,
  { context, runs }: { readonly context: ScenarioContext; readonly runs: number },
): Promise<void> =>
  withOpened(startFuzzHost(framework), async (host) => {
    const found = await fuzz(host, { runs, seed: context.random.between(0, greatestSeed) })
    context.report({ store: framework, rounds: runs, violations: found === undefined ? [] : [found] })
  })

// A turn continues where the last one ended, so that a few turns visit all kinds.
let failovers = 0

const failOver: Scenario['run'] = async (context) => {
  const kinds = deploymentKinds.filter(isPresent)
  for (; !isFinished(context); failovers += 1) {
    const kind = kinds[failovers % kinds.length]
    if (kind === undefined) return
    context.report({ store: kind.name, rounds: 1, faults: 1, ...(await runFailover(kind)) })
  }
}

/** Repeats rounds until the time of the scenario has passed. */
const repeat =
  (round: (context: ScenarioContext) => Promise<void>): Scenario['run'] =>
  async (context) => {
    while (!isFinished(context)) await round(context)
  }

/** The scenarios, in the order of their turns. */
export const scenarios: readonly Scenario[] = [
  { name: 'model', run: repeat(searchSchedules) },
  {
    name: 'fuzz-routes',
    run: repeat((context) =>
      fuzzOn(context.random.pick(['express5', 'express4', 'node:http']), fuzzRoutes, { context, runs: 500 }),
    ),
  },
  {
    name: 'fuzz-verifier',
    run: repeat((context) => fuzzOn('node:http', fuzzVerifier, { context, runs: 10_000 })),
  },
  ...processScenarios,
  ...faultScenarios,
  { name: 'failovers', run: failOver },
]
