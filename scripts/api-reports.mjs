// Compares the public API of each published package, as built, with its committed reports
// `packages/*/api/*.api.md`. With `--update`, builds the packages first, and writes the reports.
//
// Usage: npm run api -- [folder of a package …], such as core
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor'
import { publishedPackages, root } from './workspace.mjs'

const isUpdate = process.argv.includes('--update')
const names = process.argv.slice(2).filter((name) => name !== '--update')

/** Returns the names of the built entry points of a package that have types and are public. */
const findEntryPoints = ({ publishConfig: { exports } }) =>
  Object.values(exports)
    .flatMap(({ import: built }) => built?.types.match(/^\.\/dist\/(.+)\.d\.ts$/)?.[1] ?? [])
    .filter((name) => name !== 'internal')

const silent = { logLevel: 'none' }

const toConfig = (folder, entryPoint) => {
  const projectFolder = join(root, folder)
  const types = join(projectFolder, 'dist', `${entryPoint}.d.ts`)
  const configObject = {
    projectFolder,
    mainEntryPointFilePath: types,
    compiler: {
      overrideTsconfig: {
        extends: join(root, 'tsconfig.base.json'),
        compilerOptions: { customConditions: [] },
        files: [types],
      },
    },
    apiReport: {
      enabled: true,
      reportFileName: `${entryPoint}.api.md`,
      reportFolder: join(projectFolder, 'api'),
      reportTempFolder: join(root, '.reports', 'api', folder),
    },
    tsdocMetadata: { enabled: false },
    newlineKind: 'lf',
    // scripts/test/public-surface.slow.test.ts checks exports and comments, for all entry points of
    // a package together and on the sources.
    messages: {
      compilerMessageReporting: { default: { logLevel: 'error' } },
      extractorMessageReporting: { default: silent },
      tsdocMessageReporting: { default: silent },
    },
  }
  const packageJsonFullPath = join(projectFolder, 'package.json')
  return ExtractorConfig.prepare({ configObject, configObjectFullPath: undefined, packageJsonFullPath })
}

const reportMessage = (message) => {
  message.handled = true
  if (message.logLevel === 'error') console.error(message.formatMessageWithLocation(root))
}

const checkEntryPoint = (folder, entryPoint) => {
  if (isUpdate) mkdirSync(join(root, folder, 'api'), { recursive: true })
  const { apiReportChanged, errorCount } = Extractor.invoke(toConfig(folder, entryPoint), {
    localBuild: isUpdate,
    messageCallback: reportMessage,
  })
  if (apiReportChanged) {
    console.log(`${join(folder, 'api', `${entryPoint}.api.md`)} ${isUpdate ? 'was updated' : 'is out of date'}`)
  }
  return errorCount === 0 && (isUpdate || !apiReportChanged)
}

if (isUpdate) {
  // The types of a package need those of the packages that it depends on.
  const filters =
    names.length === 0 ? ['--filter=./packages/*'] : names.map((name) => `--filter-prod=@jwt-auth/${name}...`)
  const { status } = spawnSync('pnpm', ['--recursive', ...filters, 'run', 'build'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('the build failed')
}

const chosen = publishedPackages().filter(({ folder }) => names.length === 0 || names.includes(basename(folder)))
const results = chosen.flatMap(({ folder, manifest }) =>
  findEntryPoints(manifest).map((entryPoint) => checkEntryPoint(folder, entryPoint)),
)
if (results.every(Boolean)) console.log(`${results.length} API reports are up to date`)
else {
  console.error('Fix the messages above. If you changed the public API on purpose, run: npm run api')
  process.exitCode = 1
}
