import { type DefectName, defectNames } from '../defects.js'
import { createRandom } from '../random.js'
import type { Scenario } from '../scenario.js'
import type { SoakContext } from './run-soak.js'
import type { SoakOptions } from './soak-options.js'

/** Scenarios that run in turns. */
export interface ScenarioGroup {
  readonly name: string
  readonly scenarios: readonly Scenario[]
}

interface Trial {
  readonly defect: DefectName
  readonly group: ScenarioGroup
  readonly budgetMs: number
  readonly seed: number
}

const turnsPerScenario = 2

/**
 * Runs groups of scenarios against services with each planted defect, until a violation is found or the time for the defect and
 * the group has passed. Prints a Markdown table with the time to the first violation. Resolves to the number of defects that no
 * group found.
 */
export const runPlanted = async (
  { minutes, seed, only }: SoakOptions,
  { groups, ...context }: Omit<SoakContext, 'scenarios'> & { readonly groups: readonly ScenarioGroup[] },
): Promise<number> => {
  const { print, signal } = context
  const budgetMs = (minutes * 60_000) / (defectNames.length * groups.length)
  const rows: string[] = [
    `| Planted defect | ${groups.map(({ name }) => name).join(' | ')} |`,
    `|---|${groups.map(() => '---|').join('')}`,
  ]
  let missed = 0
  print(`seed ${seed}: ${Math.round(budgetMs / 1_000)} s for each defect and group`)
  for (const defect of defectNames) {
    const cells: string[] = []
    for (const { name, scenarios } of groups) {
      if (signal.aborted) break
      const chosen = { name, scenarios: scenarios.filter((scenario) => only.includes(scenario.name)) }
      const foundMs = await tryGroup({ defect, group: chosen, budgetMs, seed }, context)
      cells.push(foundMs === undefined ? 'no' : `${(foundMs / 1_000).toFixed(1)} s`)
    }
    if (cells.every((cell) => cell === 'no')) missed += 1
    rows.push(`| ${defect} | ${cells.join(' | ')} |`)
    print(rows.at(-1) ?? '')
  }
  print(`\n${rows.join('\n')}`)
  return missed
}

/** Resolves to the milliseconds until the first violation. Resolves to `undefined` when there was none in time. */
const tryGroup = async (
  { defect, group, budgetMs, seed }: Trial,
  { now, signal, print }: Omit<SoakContext, 'scenarios'>,
): Promise<number | undefined> => {
  const startedAt = now()
  const end = startedAt + budgetMs
  const turnMs = budgetMs / (turnsPerScenario * Math.max(1, group.scenarios.length))
  const seeds = createRandom(seed)
  const found = new AbortController()
  let foundMs: number | undefined
  const note = (violations: readonly string[]): void => {
    const [violation] = violations
    if (violation === undefined || foundMs !== undefined) return
    foundMs = now() - startedAt
    print(`${defect}, ${group.name}: ${violation.split('\n')[0]}`)
    found.abort()
  }

  for (let turn = 0; now() < end && foundMs === undefined && !signal.aborted; turn += 1) {
    const scenario = group.scenarios[turn % group.scenarios.length]
    if (scenario === undefined) break
    const context = {
      defect,
      random: createRandom(seeds.between(0, 2 ** 31 - 1)),
      deadline: Math.min(end, now() + turnMs),
      signal: AbortSignal.any([signal, found.signal]),
      report: ({ violations = [] }: { readonly violations?: readonly string[] }) => note(violations),
    }
    // A scenario that fails because of the defect has found it.
    await scenario.run(context).catch((failure: unknown) => note([String(failure)]))
  }
  return foundMs
}
