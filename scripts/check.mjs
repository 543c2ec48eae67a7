// Runs all checks: `npm run check`, and `.ci/run` in continuous integration. A failed step does not
// stop the later steps. The summary shows the seconds of each step. The last line counts steps and
// tests together.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { publishedPackages, root } from './workspace.mjs'

const areDatabasesRequired = process.env.REQUIRE_DATABASES === '1'
const reports = '.reports'
const databasesReport = '.reports/databases.txt'

const workflowFolder = join('.github', 'workflows')
const workflows = readdirSync(join(root, workflowFolder)).map((name) => join(workflowFolder, name))

// Tests in browsers take as long as all other tests together.
const browserTests = [
  'packages/client/test/browser/',
  'examples/client-integrations/test/browser.slow.test.ts',
  'examples/host-app/test/page.slow.test.ts',
]

// Phases run one after another. The steps of a phase with two lanes run two at a time.
const phases = [
  {
    lanes: 2,
    steps: [
      {
        title: 'build',
        commands: [['pnpm', '--recursive', '--filter', './packages/*', 'run', '--if-present', 'build']],
      },
      {
        title: 'types',
        commands: [
          ['tsc', '--project', 'tsconfig.json'],
          // With the types of browsers, and JSX.
          ['tsc', '--project', 'examples/client-integrations'],
        ],
      },
    ],
  },
  {
    lanes: 2,
    // The longest steps first, so that both lanes end together.
    steps: [
      // Waits for downloads and for servers that start.
      ...(areDatabasesRequired
        ? [{ title: 'storage suites on other databases', commands: [['npm', 'run', 'databases']] }]
        : []),
      { title: 'tests in browsers', commands: [['vitest', 'run', ...browserTests]], report: 'browsers' },
      { title: 'packages in applications', commands: [['node', 'scripts/consumers.mjs']] },
      {
        title: 'formatting and lint',
        commands: [
          ['biome', 'ci', '.'],
          ['node', 'scripts/glossary.mjs'],
        ],
      },
      // With links, spelling and the API of the packages.
      { title: 'documentation site', commands: [['npm', 'run', 'site']] },
      { title: 'unused code and dependencies', commands: [['knip']] },
      { title: 'workflows', commands: workflows.map((path) => ['action-validator', path]) },
      { title: 'reports of the public API', commands: [['node', 'scripts/api-reports.mjs']] },
      {
        title: 'package surface',
        commands: [
          ...publishedPackages().flatMap(({ folder }) => [
            ['publint', '--strict', folder],
            ['attw', '--pack', folder, '--quiet'],
          ]),
          // The client that browsers load, minified and compressed.
          ['size-limit'],
          // The scripts of this page import the built client.
          ['tsc', '--project', 'examples/host-app/tsconfig.page.json'],
        ],
      },
      { title: 'measurements, as a smoke test', commands: [['npm', 'run', 'bench', '--', '--smoke']] },
    ],
  },
  {
    lanes: 1,
    steps: [
      // In continuous integration, `npm test` must also pass on a machine without databases. The
      // files whose tests were skipped there run again with databases, and the others need not.
      ...(areDatabasesRequired
        ? [{ title: 'tests without databases', commands: [['.ci/without-databases']], report: 'bare' }]
        : []),
      { title: 'tests', commands: () => [['vitest', 'run', ...listTestArguments()]], report: 'tests' },
    ],
  },
]

/** Returns the files with tests that were skipped without databases, and the slow files. */
const listTestArguments = () => {
  const excluded = browserTests.map((path) => `--exclude=${path}**`)
  if (!areDatabasesRequired || !existsSync(toReportFile('bare'))) return excluded
  const skipped = readReport('bare').testResults.filter(({ assertionResults }) =>
    assertionResults.some(({ status }) => status === 'skipped' || status === 'pending'),
  )
  return [...skipped.map(({ name }) => relative(root, name)), '.slow.test.ts', ...excluded]
}

const toReportFile = (report) => join(reports, `${report}.json`)

/**
 * Runs a command and resolves to its output, or prints the output if the step has the only lane.
 */
const runCommand = async ([command, ...args], { report, isAlone }) => {
  const child = spawn(command, args, {
    cwd: root,
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
  if (!isAlone) console.log(`\n── ${title}\n${Buffer.concat(results.map(({ output }) => output))}`)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  return { title, seconds, isPassed: results.every(({ isPassed }) => isPassed) }
}

const runPhase = async ({ lanes, steps }) => {
  const results = []
  const queue = steps.values()
  const runLane = async () => {
    for (const step of queue) results.push(await runStep(step, lanes === 1))
  }
  await Promise.all(Array.from({ length: lanes }, runLane))
  return results
}

// The summary repeats which databases were skipped, because nothing failed.
const findSkippedDatabases = () => {
  try {
    return readFileSync(databasesReport, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('SKIPPED'))
  } catch {
    return []
  }
}

const readReport = (report) => JSON.parse(readFileSync(toReportFile(report), 'utf8'))

const readCounts = (report) => {
  try {
    const { numPassedTests, numFailedTests, numPendingTests } = readReport(report)
    // The tests that are skipped without databases run in the next step.
    return { passed: numPassedTests, failed: numFailedTests, skipped: report === 'bare' ? 0 : numPendingTests }
  } catch {
    return { passed: 0, failed: 0, skipped: 0 }
  }
}

const sum = (counts, name) => counts.reduce((total, count) => total + count[name], 0)

process.chdir(root)
const steps = phases.flatMap(({ steps }) => steps)
const testReports = steps.flatMap(({ report }) => report ?? [])
mkdirSync(reports, { recursive: true })
for (const file of [...testReports.map(toReportFile), databasesReport]) rmSync(file, { force: true })
const results = []
for (const phase of phases) results.push(...(await runPhase(phase)))
const counts = testReports.map(readCounts)
const tests = { passed: sum(counts, 'passed'), failed: sum(counts, 'failed'), skipped: sum(counts, 'skipped') }
const isEachRun = tests.skipped === 0 && counts.every(({ passed }) => passed > 0)
const isComplete = tests.passed > 0 && (!areDatabasesRequired || isEachRun)

console.log('\n── summary')
for (const { title, seconds, isPassed } of results)
  console.log(`${isPassed ? 'passed' : 'FAILED'}  ${`${seconds}`.padStart(4)} s  ${title}`)
for (const line of findSkippedDatabases()) console.log(line)
if (!isComplete) console.log(`FAILED  completeness: ${tests.passed} tests ran, ${tests.skipped} were skipped`)

const passed = tests.passed + results.filter(({ isPassed }) => isPassed).length
const failed = tests.failed + results.filter(({ isPassed }) => !isPassed).length + (isComplete ? 0 : 1)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
