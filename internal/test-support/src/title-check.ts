import type { Reporter, TestModule } from 'vitest/node'

// What a title must not contain, with examples of how it gets there.
const faults: readonly (readonly [string, RegExp])[] = [
  ['is cut: put the name first and use %s in place of $name', /…/],
  ['has a placeholder without a value', /%(\d+\$)?[sdifjoOc]\b|%[#$]|(^|[\s(])\$[A-Za-z_]\w*(?=$|[\s,.:;)])/],
  ['shows an object', /\[object \w+\]/],
  // Titles that speak of the value say that something "is undefined", "returns undefined" and so on.
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
 * A reporter that fails the run when a title is cut, has a placeholder without a value, or occurs twice in one file. A test could check
 * all titles only after loading every file once more.
 */
export class TitleCheck implements Reporter {
  readonly #print: (text: string) => void

  constructor(print: (text: string) => void = (text) => process.stdout.write(text)) {
    this.#print = print
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules.flatMap((module) =>
      findTitleFaults([...module.children.allTests()].map(({ fullName }) => fullName)).map(
        (line) => `  ${module.relativeModuleId} > ${line}\n`,
      ),
    )
    if (lines.length === 0) return
    this.#print(`\nTitles of tests that have to change:\n${lines.join('')}\n`)
    process.exitCode = 1
  }
}
