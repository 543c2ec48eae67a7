import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node'

const slowFiles = '**/*.slow.test.ts'

/**
 * A reporter that prints one summary after all tests: how many tests were skipped, why, and how to
 * enable them, and whether slow files were excluded. It prints nothing when every test ran.
 */
export class SkipSummary implements Reporter {
  #isWithoutSlowFiles = false

  onInit(vitest: Vitest): void {
    this.#isWithoutSlowFiles = vitest.config.exclude.includes(slowFiles)
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')])
    if (skipped.length > 0)
      process.stdout.write(describeSkipped(skipped.map((test) => findReason(test) ?? inCode(test))))
    if (this.#isWithoutSlowFiles)
      process.stdout.write(`\nThe files ${slowFiles} were excluded. \`npm run check -- --all\` runs all tests.\n`)
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

// What a title must not contain, with examples of how it gets there.
const faults: readonly (readonly [string, RegExp])[] = [
  ['is cut: put the name first and use %s in place of $name', /…/],
  ['has a placeholder without a value', /%(\d+\$)?[sdifjoOc]\b|%[#$]|(^|[\s(])\$[A-Za-z_]\w*(?=$|[\s,.:;)])/],
  ['shows an object', /\[object \w+\]/],
  // Titles that speak of the value say that something "is undefined", "returns undefined" and so
  // on.
  [
    'has undefined in place of a value',
    /(?<!\b(is|are|as|be|to|for|than|when|with|not|received|receives|rejects|returns)|[:,]) \[? ?undefined\b/,
  ],
  ['says "should"', /\bshould\b/i],
]

/** Returns a line for each fault in the full titles of one test file. */
export const findTitleFaults = (titles: readonly string[]): readonly string[] => [
  ...titles.flatMap((title) => faults.filter(([, sign]) => sign.test(title)).map(([fault]) => `${title}: ${fault}`)),
  ...titles
    .filter((title, place) => titles.indexOf(title) !== place)
    .map((title) => `${title}: is the title of another test of the file`),
]

/**
 * A reporter that fails the run when a title is cut, has a placeholder without a value, or occurs
 * twice in one file. A test could check all titles only after loading every file once more.
 */
export class TitleCheck implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules.flatMap((module) =>
      findTitleFaults([...module.children.allTests()].map(({ fullName }) => fullName)).map(
        (line) => `  ${module.relativeModuleId} > ${line}\n`,
      ),
    )
    if (lines.length === 0) return
    process.stdout.write(`\nTitles of tests that have to change:\n${lines.join('')}\n`)
    process.exitCode = 1
  }
}
