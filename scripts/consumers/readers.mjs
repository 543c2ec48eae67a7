// Follows the READMEs and docs/programs.md as a reader would: installs with the install lines of
// these pages, and runs every program that a page shows, unchanged. Uses each server with the curl
// commands of README.md.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findDatabases } from '../../internal/test-support/src/databases.ts'
import { findOwnServers } from '../../internal/test-support/src/own-servers.ts'
import { run } from '../processes.mjs'
import { publishedPackages } from '../workspace.mjs'
import { findCurlCommands, findPrograms, findSecretCommand, readJavaScriptProgram, readPage } from './pages.mjs'
import { runToEnd, serveAndRequest } from './run-program.mjs'
import { strictOptions } from './types.mjs'

const pages = ['README.md', 'docs/programs.md', ...publishedPackages().map(({ folder }) => `${folder}/README.md`)]

// Only the commands of README.md are run. The other pages may repeat them.
const requireKnownCommands = (page) => {
  const known = findCurlCommands('README.md').map(({ command }) => command)
  const areKnown = findCurlCommands(page).every(({ command }) => known.includes(command))
  const secret = readPage(page).includes('JWT_AUTH_SECRET') ? findSecretCommand(page) : undefined
  if (!areKnown || ![undefined, findSecretCommand('README.md')].includes(secret)) {
    throw new Error(`${page} shows a command that README.md does not show`)
  }
}

const toExpress4 = (line) => {
  for (const name of ['express@4', '@types/express@4']) {
    if (!readPage('README.md').includes(`\`${name}\``)) throw new Error(`README.md does not say how to install ${name}`)
  }
  return line.replaceAll(/(?<= )(@types\/)?express(?= |$)/g, '$&@4')
}

/** Returns every program once, and the quick start of README.md once more for Express 4. */
const listPrograms = () => {
  const { title: inJavaScript, ...program } = readJavaScriptProgram()
  const programs = new Map([[inJavaScript, { title: `docs/programs.md, ${inJavaScript}`, ...program }]])
  for (const page of pages) {
    requireKnownCommands(page)
    for (const program of findPrograms(page)) {
      const key = JSON.stringify([program.install, program.code, program.start])
      const title = programs.has(key) ? `${page}, ${programs.get(key).title}` : `${page}, ${program.title}`
      programs.set(key, { ...program, title })
    }
  }
  return [...programs.values()].flatMap((program) => {
    const { title, install } = program
    const isQuickStart = title.includes('README.md, Quick start')
    return [
      program,
      ...(isQuickStart ? [{ ...program, title: `${title}, Express 4`, install: install.map(toExpress4) }] : []),
    ]
  })
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
    const { missing, startFast } = findOwnServers().find(({ name }) => name === 'Redis')
    if (missing !== undefined) return false
    const { url, remove } = await startFast()
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

/** Returns the install lines of the pages, each with the checks of its programs. */
export const listReaderChecks = () => {
  const readers = new Map()
  for (const program of listPrograms()) {
    const key = program.install.join('\n')
    const { checks } = readers.get(key) ?? { checks: [] }
    const check = (cwd) => checkProgram(program, cwd)
    readers.set(key, { lines: program.install, checks: [...checks, { title: program.title, check }] })
  }
  return [...readers.values()]
}
