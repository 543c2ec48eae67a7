// Runs the checks of a pull request: `npm run check`. With `--all`, runs every check: `.ci/run`. A
// failed step does not stop the later steps. The summary shows the seconds of each step. The last
// line counts steps and tests together.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { publishedPackages, root } from './workspace.mjs'

process.chdir(root)
const isAll = process.argv.includes('--all')
const areDatabasesRequired = process.env.REQUIRE_DATABASES === '1'
const databasesReport = '.reports/databases.txt'

const step = (title, ...commands) => ({ title, commands })

const sources = [
  step('build and reports of the public API', ['npm', 'run', 'build'], ['node', 'scripts/api-reports.mjs']),
  // The second project has the types of browsers, and JSX.
  step('types', ['tsc', '--project', 'tsconfig.json'], ['tsc', '--project', 'examples/client-integrations']),
  step('formatting and lint', ['biome', 'ci', '.'], ['node', 'scripts/glossary.mjs']),
  step('unused code and dependencies', ['knip']),
]

// Tests in browsers take as long as all other tests together.
const browserTests = [
  'packages/client/test/browser/',
  'examples/client-integrations/test/browser.slow.test.ts',
  'examples/host-app/test/page.slow.test.ts',
]

const workflows = join('.github', 'workflows')

const listProducts = () => [
  ...(areDatabasesRequired ? [step('storage suites on other databases', ['npm', 'run', 'databases'])] : []),
  { ...step('tests in browsers', ['vitest', 'run', ...browserTests]), report: 'browsers' },
  step('packages in applications', ['npm', 'run', 'consumers']),
  step('measurements, as a smoke test', ['npm', 'run', 'bench', '--', '--smoke']),
  step(
    'package surface',
    ...publishedPackages().flatMap(({ folder }) => [
      ['publint', '--strict', folder],
      ['attw', '--pack', folder, '--quiet'],
    ]),
    // The client that browsers load, minified and compressed.
    ['size-limit'],
    // The scripts of this page import the built client.
    ['tsc', '--project', 'examples/host-app/tsconfig.page.json'],
  ),
  // With links, spelling and the API of the packages.
  step('documentation site', ['npm', 'run', 'site']),
  step('workflows', ...readdirSync(workflows).map((name) => ['action-validator', join(workflows, name)])),
]

const toReportFile = (report) => join('.reports', `${report}.json`)
const readReport = (report) => JSON.parse(readFileSync(toReportFile(report), 'utf8'))

/** Returns the files with tests that were skipped without databases, and the slow files. */
const listTestArguments = () => {
  const excluded = browserTests.map((path) => `--exclude=${path}**`)
  if (!existsSync(toReportFile('bare'))) return excluded
  const skipped = readReport('bare').testResults.filter(({ assertionResults }) =>
    assertionResults.some(({ status }) => status === 'skipped' || status === 'pending'),
  )
  return [...skipped.map(({ name }) => relative(root, name)), '.slow.test.ts', ...excluded]
}

// In continuous integration, `npm test` must also pass on a machine without databases. The files
// whose tests were skipped there run again with databases, and the others need not.
const bare = { ...step('tests without databases', ['.ci/without-databases']), report: 'bare' }
const tests = isAll
  ? { title: 'tests', commands: () => [['vitest', 'run', ...listTestArguments()]], report: 'tests' }
  : { ...step('tests', ['npm', 'test']), report: 'tests' }

// Phases run one after another. The steps of a phase run three at a time, because many of them wait:
// the longest first, so that all lanes end together.
const lanes = 3
const phases = [
  [...(isAll && areDatabasesRequired ? [bare] : []), ...sources],
  isAll ? [tests, ...listProducts()] : [tests],
]

/**
 * Runs a command and resolves to its output, or prints the output if the step has the only lane.
 */
const runCommand = async ([command, ...args], { report, isAlone }) => {
  const child = spawn(command, args, {
    env: report === undefined ? process.env : { ...process.env, TEST_REPORT: toReportFile(report) },
    stdio: isAlone ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(chunk))
  const [code] = await once(child, 'close')
  return { isPassed: code === 0, output: Buffer.concat(output) }
}

const runStep = async ({ title, commands, report }, isAlone) => {
  if (isAlone) console.log(`\n── ${title}`)
  const startedAt = performance.now()
  const results = []
  for (const command of typeof commands === 'function' ? commands() : commands)
    results.push(await runCommand(command, { report, isAlone }))
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  const isPassed = results.every(({ isPassed }) => isPassed)
  const text = isAlone ? '' : `\n── ${title}\n${Buffer.concat(results.map(({ output }) => output))}`
  if (isPassed) process.stdout.write(text)
  return { title, seconds, isPassed, text }
}

const readCounts = (report) => {
  if (!existsSync(toReportFile(report))) return { passed: 0, failed: 0, skipped: 0 }
  const { numPassedTests, numFailedTests, numPendingTests } = readReport(report)
  // The tests that are skipped without databases run in the next step.
  return { passed: numPassedTests, failed: numFailedTests, skipped: report === 'bare' ? 0 : numPendingTests }
}

const testReports = phases.flat().flatMap(({ report }) => report ?? [])
mkdirSync('.reports', { recursive: true })
for (const file of [...['bare', ...testReports].map(toReportFile), databasesReport]) rmSync(file, { force: true })
const results = []
for (const steps of phases) {
  const queue = steps.values()
  const runLane = async () => {
    for (const next of queue) results.push(await runStep(next, steps.length === 1))
  }
  await Promise.all(Array.from({ length: lanes }, runLane))
}
const counts = testReports.map(readCounts)
const sum = (name) => counts.reduce((total, count) => total + count[name], 0)
const isEachRun = sum('skipped') === 0 && counts.every(({ passed }) => passed > 0)
const isComplete = sum('passed') > 0 && (!(isAll && areDatabasesRequired) || isEachRun)

// The output of failed steps comes last, where a reader of a long log looks first.
for (const { isPassed, text } of results) if (!isPassed) process.stdout.write(text)
console.log('\n── summary')
for (const { title, seconds, isPassed } of results)
  console.log(`${isPassed ? 'passed' : 'FAILED'}  ${`${seconds}`.padStart(4)} s  ${title}`)
for (const report of testReports.filter((name) => existsSync(toReportFile(name))))
  for (const { name, assertionResults } of readReport(report).testResults)
    for (const { status, fullName } of assertionResults)
      if (status === 'failed') console.log(`FAILED  ${relative(root, name)}: ${fullName}`)
// The summary repeats which databases were skipped, because nothing failed.
if (existsSync(databasesReport))
  for (const [line] of readFileSync(databasesReport, 'utf8').matchAll(/^SKIPPED.*$/gm)) console.log(line)
if (!isComplete) console.log(`FAILED  completeness: ${sum('passed')} tests ran, ${sum('skipped')} were skipped`)

const passed = sum('passed') + results.filter(({ isPassed }) => isPassed).length
const failed = sum('failed') + results.filter(({ isPassed }) => !isPassed).length + (isComplete ? 0 : 1)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
