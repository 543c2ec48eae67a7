// Follows the pages as a reader would: runs the install lines of all pages with npm and pnpm, and every
// program that the READMEs and docs/programs.md show, unchanged. Uses each server with the curl commands
// of README.md.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findDatabases } from '../../internal/test-support/src/databases.ts'
import { findOwnServers } from '../../internal/test-support/src/own-servers.ts'
import { run } from '../processes.mjs'
import { publishedPackages, root } from '../workspace.mjs'
import { findInstallLines, findPrograms, readJavaScriptProgram } from './pages.mjs'
import { runToEnd, serveAndRequest } from './run-program.mjs'
import { strictOptions } from './types.mjs'

const pages = ['README.md', 'docs/programs.md', ...publishedPackages().map(({ folder }) => `${folder}/README.md`)]
const allPages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n')

const toExpress4 = (line) => line.replaceAll(/(?<= )(@types\/)?express(?= |$)/g, '$&@4')
const toPnpm = (line) => line.replace('npm install', `'${root}/node_modules/.bin/pnpm' add`)
// Without the registry on loopback. `npm run pack` builds the packages first.
const packScript = `node --import '${root}/node_modules/tsx/dist/loader.mjs' '${root}/scripts/pack.mjs' .`
const pack = `unset npm_config_registry; eval "$(${packScript} | grep '^npm install ')"`

/** Returns every program once, and the quick start of README.md with other installations. */
const listPrograms = () => {
  const programs = new Map()
  const add = (page, program) => {
    const key = JSON.stringify([program.install, program.code, program.start])
    programs.set(key, { ...program, title: `${page}, ${programs.get(key)?.title ?? program.title}` })
  }
  add('docs/programs.md', readJavaScriptProgram())
  for (const page of pages) for (const program of findPrograms(page)) add(page, program)
  const [quickStart] = findPrograms('README.md')
  const { install } = quickStart
  const installations = { 'Express 4': install.map(toExpress4), pnpm: install.map(toPnpm), pack: [pack, install[1]] }
  for (const [title, lines] of Object.entries(installations)) add('README.md', { ...quickStart, title, install: lines })
  return [...programs.values()]
}

const checkTypes = async ({ file }, cwd) => {
  const compilerOptions = { ...strictOptions, module: 'nodenext' }
  writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
  await run(join(cwd, 'node_modules', '.bin', 'tsc'), [], { cwd })
  return 'types pass'
}

/**
 * Calls `use` with the environment variable of the program's database, which is empty, and then
 * removes the database. Resolves to `false` when this machine has no such database.
 */
const withStore = async (code, use) => {
  if (code.includes('DATABASE_URL')) {
    const [, { missing, createDatabase }] = await findDatabases()
    if (missing !== undefined) return false
    const { url, drop } = await createDatabase()
    await use({ DATABASE_URL: url }).finally(drop)
  } else if (code.includes('REDIS_URL')) {
    const { missing, start } = findOwnServers().find(({ name }) => name === 'Redis')
    if (missing !== undefined) return false
    const { url, remove } = await start()
    await use({ REDIS_URL: url }).finally(remove)
  } else {
    await use({})
  }
  return true
}

const checkProgram = async (program, cwd) => {
  writeFileSync(join(cwd, program.file), program.code)
  const facts = []
  if (program.file.endsWith('.mts')) facts.push(await checkTypes(program, cwd))
  const isRun = await withStore(program.code, async (env) => {
    const started = { ...program, cwd, env }
    const isServer = program.output.startsWith('listening on')
    facts.push(await (isServer ? serveAndRequest(started) : runToEnd(started)))
  })
  return [...facts, ...(isRun ? [] : ['NOT STARTED: no database server was found'])].join(', ')
}

/** Returns the install lines of all pages, for npm and pnpm, each with the checks of its programs. */
export const listReaderChecks = () => {
  const readers = new Map()
  const addCheck = (lines, check) => {
    const { checks = [] } = readers.get(lines.join('\n')) ?? {}
    readers.set(lines.join('\n'), { lines, checks: [...checks, check] })
  }
  for (const program of listPrograms()) {
    addCheck(program.install, { title: program.title, check: (cwd) => checkProgram(program, cwd) })
  }
  for (const page of allPages) {
    for (const lines of findInstallLines(page)) {
      for (const installed of [lines, lines.map(toPnpm)])
        addCheck(installed, { title: page, check: () => installed[0] })
    }
  }
  return [...readers.values()]
}
