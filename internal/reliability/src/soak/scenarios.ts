import { processScenarios } from '../cluster/scenarios/process-scenarios.js'
import { faultScenarios } from '../faults/fault-scenarios.js'
import { fuzzScenarios } from '../fuzz/fuzz-scenarios.js'
import { modelScenario } from '../model/model-scenario.js'
import type { Scenario } from '../scenario.js'

/** The scenarios of `npm run soak`, in the order of their turns. */
export const scenarios: readonly Scenario[] = [modelScenario, ...fuzzScenarios, ...processScenarios, ...faultScenarios]
