import { type DefectName, defectNames } from '../defects.js'
import { createRandom } from '../random.js'
import type { Scenario } from '../scenario.js'
import type { SoakSurroundings } from './run-soak.js'
import type { SoakOptions } from './soak-options.js'

/** Scenarios that are tried together, in turns. */
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

const turnsEach = 2

/**
 * Runs groups of scenarios against services with each planted bug, until a violation is found or the time for the bug and the group is
 * over. Prints a table of Markdown with the time to the first violation, and resolves to how many bugs no group found.
 */
export const runPlanted = async (
  { minutes, seed, only }: SoakOptions,
  { groups, ...surroundings }: Omit<SoakSurroundings, 'scenarios'> & { readonly groups: readonly ScenarioGroup[] },
): Promise<number> => {
  const { print, signal } = surroundings
  const budgetMs = (minutes * 60_000) / (defectNames.length * groups.length)
  const rows: string[] = [
    `| Planted bug | ${groups.map(({ name }) => name).join(' | ')} |`,
    `|---|${groups.map(() => '---|').join('')}`,
  ]
  let missed = 0
  print(`seed ${seed}: ${Math.round(budgetMs / 1_000)} s for each bug and group`)
  for (const defect of defectNames) {
    const cells: string[] = []
    for (const { name, scenarios } of groups) {
      if (signal.aborted) break
      const chosen = { name, scenarios: scenarios.filter((scenario) => only.includes(scenario.name)) }
      const foundMs = await tryGroup({ defect, group: chosen, budgetMs, seed }, surroundings)
      cells.push(foundMs === undefined ? 'no' : `${(foundMs / 1_000).toFixed(1)} s`)
    }
    if (cells.every((cell) => cell === 'no')) missed += 1
    rows.push(`| ${defect} | ${cells.join(' | ')} |`)
    print(rows.at(-1) ?? '')
  }
  print(`\n${rows.join('\n')}`)
  return missed
}

/** Resolves to the milliseconds until the first violation; to `undefined` when there was none in time. */
const tryGroup = async (
  { defect, group, budgetMs, seed }: Trial,
  { now, signal, print }: Omit<SoakSurroundings, 'scenarios'>,
): Promise<number | undefined> => {
  const begin = now()
  const end = begin + budgetMs
  const turnMs = budgetMs / (turnsEach * Math.max(1, group.scenarios.length))
  const seeds = createRandom(seed)
  const found = new AbortController()
  let foundMs: number | undefined
  const note = (violations: readonly string[]): void => {
    const [violation] = violations
    if (violation === undefined || foundMs !== undefined) return
    foundMs = now() - begin
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
    // A scenario that the bug keeps from going on shows the bug as well.
    await scenario.run(context).catch((failure: unknown) => note([String(failure)]))
  }
  return foundMs
}
