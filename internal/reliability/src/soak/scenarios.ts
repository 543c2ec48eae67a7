import { processScenarios } from '../cluster/scenarios/process-scenarios.js'
import { faultScenarios } from '../faults/fault-scenarios.js'
import { fuzzScenarios } from '../fuzz/fuzz-scenarios.js'
import { modelSchedules } from '../model/model-scenario.js'
import type { Scenario } from '../scenario.js'
import type { ScenarioGroup } from './run-planted.js'

/** Everything `npm run soak` does, in the order of its turns. */
export const scenarios: readonly Scenario[] = [modelSchedules, ...fuzzScenarios, ...processScenarios, ...faultScenarios]

const judging = [modelSchedules, ...processScenarios, ...faultScenarios]

/** What `npm run soak -- --planted` tries against planted bugs: the parts of the soak, and then all parts in turns. */
export const scenarioGroups: readonly ScenarioGroup[] = [
  { name: 'the model', scenarios: [modelSchedules] },
  { name: 'processes', scenarios: processScenarios },
  { name: 'the soak', scenarios: judging },
]
