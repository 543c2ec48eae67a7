import { processScenarios } from '../cluster/scenarios/process-scenarios.js'
import { faultScenarios } from '../faults/fault-scenarios.js'
import { fuzzScenarios } from '../fuzz/fuzz-scenarios.js'
import { modelScenario } from '../model/model-scenario.js'
import type { Scenario } from '../scenario.js'
import type { ScenarioGroup } from './run-planted.js'

/** The scenarios of `npm run soak`, in the order of their turns. */
export const scenarios: readonly Scenario[] = [modelScenario, ...fuzzScenarios, ...processScenarios, ...faultScenarios]

const judging = [modelScenario, ...processScenarios, ...faultScenarios]

/** The groups of `npm run soak -- --planted`: the parts of the soak that judge sessions, and then all of these parts in turns. */
export const scenarioGroups: readonly ScenarioGroup[] = [
  { name: 'the model', scenarios: [modelScenario] },
  { name: 'processes', scenarios: processScenarios },
  { name: 'the soak', scenarios: judging },
]
