import { performance } from 'node:perf_hooks'
import { describeMissing, listenForEnd } from '@jwt-auth/test-support'
import { prepareInstances } from '../cluster/instance/start-instance.js'
import { processScenarios } from '../cluster/scenarios/process-scenarios.js'
import { failoverScenario } from '../failover/failover-scenario.js'
import { faultScenarios } from '../faults/fault-scenarios.js'
import { fuzzScenarios } from '../fuzz/fuzz-scenarios.js'
import { modelScenario } from '../model/model-scenario.js'
import type { Scenario } from '../scenario.js'
import { runSoak } from './run-soak.js'
import { parseSoakOptions, type SoakOptions, usage } from './soak-options.js'

/** The scenarios of `npm run soak`, in the order of their turns. */
export const scenarios: readonly Scenario[] = [
  modelScenario,
  ...fuzzScenarios,
  ...processScenarios,
  ...faultScenarios,
  failoverScenario,
]

/**
 * The long forms of the tests: `npm run soak -- --minutes 20`. Exits with 1 when a promise was
 * broken. Ctrl-C ends the run with the summary so far. A second Ctrl-C ends it immediately.
 */

const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

const names = scenarios.map(({ name }) => name)

const parseOptions = (): SoakOptions | undefined => {
  try {
    return parseSoakOptions(process.argv.slice(2), { names, createSeed: () => Math.floor(Math.random() * 2 ** 31) })
  } catch (failure) {
    print(`${failure instanceof Error ? failure.message : String(failure)}\n${usage}`)
    return undefined
  }
}

const main = async (): Promise<number> => {
  if (process.argv.includes('--help')) {
    print(`${usage}\nRuns all scenarios for 20 minutes by default. Scenarios: ${names.join(', ')}`)
    return 0
  }
  const options = parseOptions()
  if (options === undefined) return 1
  for (const line of await describeMissing()) print(line)
  await prepareInstances()
  const signal = listenForEnd(() => print('ending after this round …'))
  const violations = await runSoak(options, { scenarios, signal, print, now: () => performance.now() })
  return violations === 0 ? 0 : 1
}

process.exit(await main())
