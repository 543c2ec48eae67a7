import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node'

const slowFiles = '**/*.slow.test.ts'

/**
 * A reporter that prints one summary after all tests: how many tests were skipped, why, and how to enable them, and whether slow files
 * were excluded. It prints nothing when every test ran.
 */
export class SkipSummary implements Reporter {
  readonly #print: (text: string) => void
  #isWithoutSlowFiles = false

  constructor(print: (text: string) => void = (text) => process.stdout.write(text)) {
    this.#print = print
  }

  onInit(vitest: Vitest): void {
    this.#isWithoutSlowFiles = vitest.config.exclude.includes(slowFiles)
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')])
    if (skipped.length > 0) this.#print(describeSkipped(skipped.map((test) => findReason(test) ?? inCode(test))))
    if (this.#isWithoutSlowFiles)
      this.#print(`\nThe files ${slowFiles} were excluded. \`npm run check\` runs all tests.\n`)
  }
}

/** Returns the summary's text, given the reason of each skipped test. */
export const describeSkipped = (reasons: readonly string[]): string => {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const lines = [...counts].map(([reason, count]) => `  ${countTests(count)}: ${reason}\n`)
  return `\nSkipped ${countTests(reasons.length)}:\n${lines.join('')}\n`
}

const countTests = (count: number): string => (count === 1 ? '1 test' : `${count} tests`)

const findReason = (one: TestCase | TestSuite | TestModule): string | undefined => {
  if (one.type === 'module') return undefined
  return one.meta().missing ?? findReason(one.parent)
}

const inCode = (test: TestCase): string => `skipped in the code: ${test.module.relativeModuleId} > ${test.fullName}`
