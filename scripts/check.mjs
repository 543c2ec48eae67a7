// Runs all checks: `npm run check`, and `.ci/run` in continuous integration. A failed step does not stop the later steps. The last line
// counts steps and tests together.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
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

const steps = [
  {
    title: 'formatting and lint',
    commands: [
      ['biome', 'ci', '.'],
      ['node', 'scripts/glossary.mjs'],
    ],
  },
  { title: 'unused code and dependencies', commands: [['knip']] },
  { title: 'workflows', commands: workflows.map((path) => ['action-validator', path]) },
  {
    title: 'types',
    commands: [
      ['tsc', '--project', 'tsconfig.json'],
      // With the types of browsers, and JSX.
      ['tsc', '--project', 'examples/client-integrations'],
    ],
  },
  { title: 'build', commands: [['pnpm', '--recursive', '--filter', './packages/*', 'run', '--if-present', 'build']] },
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
  { title: 'packages in applications', commands: [['node', 'scripts/consumers.mjs']] },
  { title: 'measurements, as a smoke test', commands: [['npm', 'run', 'bench', '--', '--smoke']] },
  // `npm test` excludes the files that end in `.slow.test.ts`.
  {
    title: 'tests',
    commands: [['vitest', 'run', ...browserTests.map((path) => `--exclude=${path}**`)]],
    report: 'tests',
  },
  { title: 'tests in browsers', commands: [['vitest', 'run', ...browserTests]], report: 'browsers' },
  // In continuous integration, the tests must also pass without databases, and the storage suites on other databases and versions.
  ...(areDatabasesRequired
    ? [
        { title: 'tests without databases', commands: [['.ci/without-databases']] },
        { title: 'storage suites on other databases', commands: [['npm', 'run', 'databases']] },
      ]
    : []),
]

const toReportFile = (report) => join(reports, `${report}.json`)

const runCommand = ([command, ...args], report) => {
  const { status } = spawnSync(command, args, {
    cwd: root,
    env: report === undefined ? process.env : { ...process.env, TEST_REPORT: toReportFile(report) },
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  return status === 0
}

const runStep = ({ title, commands, report }) => {
  console.log(`\n── ${title}`)
  const isPassed = commands.map((command) => runCommand(command, report)).every(Boolean)
  return { title, isPassed }
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

const readCounts = (report) => {
  try {
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(toReportFile(report), 'utf8'))
    return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests }
  } catch {
    return { passed: 0, failed: 0, skipped: 0 }
  }
}

const sum = (counts, name) => counts.reduce((total, count) => total + count[name], 0)

process.chdir(root)
const testReports = steps.flatMap(({ report }) => report ?? [])
mkdirSync(reports, { recursive: true })
for (const file of [...testReports.map(toReportFile), databasesReport]) rmSync(file, { force: true })
const results = steps.map(runStep)
const counts = testReports.map(readCounts)
const tests = { passed: sum(counts, 'passed'), failed: sum(counts, 'failed'), skipped: sum(counts, 'skipped') }
const isEachRun = tests.skipped === 0 && counts.every(({ passed }) => passed > 0)
const isComplete = tests.passed > 0 && (!areDatabasesRequired || isEachRun)

console.log('\n── summary')
for (const { title, isPassed } of results) console.log(`${isPassed ? 'passed' : 'FAILED'}  ${title}`)
for (const line of findSkippedDatabases()) console.log(line)
if (!isComplete) console.log(`FAILED  completeness: ${tests.passed} tests ran, ${tests.skipped} were skipped`)

const passed = tests.passed + results.filter(({ isPassed }) => isPassed).length
const failed = tests.failed + results.filter(({ isPassed }) => !isPassed).length + (isComplete ? 0 : 1)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
