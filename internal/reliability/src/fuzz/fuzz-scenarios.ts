import { withOpened } from '@jwt-auth/test-support'
import type { FrameworkName } from '../cluster/instance/instance-settings.js'
import { isFinished, type Scenario, type ScenarioContext } from '../scenario.js'
import { type FuzzOptions, fuzzRoutes, fuzzVerifier } from './fuzz.js'
import { type FuzzHost, startFuzzHost } from './fuzz-host.js'

type Fuzz = (host: FuzzHost, options: FuzzOptions) => Promise<string | undefined>

/**
 * Requests and tokens of every kind, for a service whose storage works. A round is one request or
 * one token.
 */
export const fuzzScenarios: readonly Scenario[] = [
  {
    name: 'fuzz-routes',
    run: async (context) => {
      for (let turn = 0; !isFinished(context); turn += 1) {
        await fuzzOn((['express5', 'express4', 'node:http'] as const)[turn % 3] ?? 'express5', fuzzRoutes, {
          context,
          runs: 500,
        })
      }
    },
  },
  {
    name: 'fuzz-verifier',
    run: async (context) => {
      while (!isFinished(context)) await fuzzOn('node:http', fuzzVerifier, { context, runs: 10_000 })
    },
  },
]

const fuzzOn = (
  framework: FrameworkName,
  fuzz: Fuzz,
  { context, runs }: { readonly context: ScenarioContext; readonly runs: number },
): Promise<void> =>
  withOpened(startFuzzHost(framework), async (host) => {
    const found = await fuzz(host, { runs, seed: context.random.between(0, 2 ** 31 - 1) })
    context.report({ store: framework, rounds: runs, violations: found === undefined ? [] : [found] })
  })
