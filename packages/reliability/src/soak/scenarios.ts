import { faultScenarios } from '../faults/fault-scenarios.js'
import { fuzzScenarios } from '../scenarios/fuzz-scenarios.js'
import { modelSchedules } from '../scenarios/model-schedules.js'
import { processScenarios } from '../scenarios/process-scenarios.js'
import type { Scenario } from '../scenarios/scenario.js'

/** Everything `npm run soak` does, in the order of its turns. */
export const scenarios: readonly Scenario[] = [modelSchedules, ...fuzzScenarios, ...processScenarios, ...faultScenarios]
