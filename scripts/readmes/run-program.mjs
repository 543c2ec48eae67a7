// Runs a program of a page, and uses a server as the page shows.
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { findFreePort, run, startServer, userEnvironment } from '../processes.mjs'
import { isAsShown } from './pages.mjs'

/**
 * Runs a program in its folder.
 *
 * @param program the program, as `findPrograms` returns it
 * @param variables the environment variables of its database
 * @param commands the curl commands and the shortened variables of the first README
 * @returns what was checked, in words
 */
export const runProgram = async (program, { cwd, variables }, commands) => {
  const env = { ...userEnvironment(), ...variables }
  const [command, ...args] = program.start.split(' ')
  if (!program.output.startsWith('listening on')) {
    const stdout = await run(command, args, { cwd, env })
    if (!isAsShown(stdout.trim(), program.output || stdout.trim()))
      throw new Error(`${program.title} printed\n${stdout}`)
    return ['ran to its end']
  }
  const port = await serve(program, { cwd, env }, (port) => sendCommands(commands, { cwd, port }))
  if (!(await isFree(port))) throw new Error(`${program.title}: the port is still in use after Ctrl-C`)
  const facts = [`${commands.curl.length} curl commands printed what the README shows`, 'Ctrl-C stopped the program']
  if (!program.code.includes(' auth.guard(),')) return facts
  await checkWithoutGuard(program, { cwd, env })
  return [...facts, '500 without the guard']
}

/** Starts a server on a free port, uses it, and stops it with Ctrl-C. Resolves to the port. */
const serve = async ({ title, start, output }, { cwd, env }, use) => {
  const [command, ...args] = start.split(' ')
  const port = await findFreePort()
  const readyText = output.replace('3000', port)
  const server = await startServer(command, args, { cwd, env: { ...env, PORT: `${port}` }, readyText })
  try {
    await use(port)
  } catch (error) {
    throw new Error(`${title}: ${error.message}\nThe program printed:\n${server.output.all}`)
  } finally {
    await server.stop()
  }
  return port
}

/** Checks that a route responds with 500 when its author forgot the guard. */
const checkWithoutGuard = async (program, { cwd, env }) => {
  writeFileSync(join(cwd, program.file), program.code.replace(' auth.guard(),', ''))
  await serve(program, { cwd, env }, async (port) => {
    const { status } = await fetch(`http://localhost:${port}/reports`)
    if (status !== 500) throw new Error(`without its guard the route responded with ${status}`)
  })
}

/** Sends the curl commands and compares the output and the status of each. */
const sendCommands = async ({ curl, shortenedVariables }, { cwd, port }) => {
  // curl reads its configuration from this folder, and writes the status line there.
  writeFileSync(join(cwd, '.curlrc'), `dump-header = "${join(cwd, 'headers.txt')}"\n`)
  const env = { ...userEnvironment(), CURL_HOME: cwd }
  for (const { command, prints } of curl) {
    const stdout = await run('sh', ['-c', command.replaceAll('localhost:3000', `localhost:${port}`)], { cwd, env })
    if (!isAsShown(stdout, `${prints}\n`)) throw new Error(`${command}\nprinted ${stdout}instead of ${prints}`)
    const status = JSON.parse(prints).data?.status ?? 200
    const statusLine = readFileSync(join(cwd, 'headers.txt'), 'utf8').split('\n')[0]
    if (!statusLine.includes(` ${status} `)) throw new Error(`${command}\nresponded with ${statusLine}`)
    // The reader copies the tokens of the login into the variables.
    for (const [name, beginning] of Object.entries(shortenedVariables)) {
      const values = Object.values(JSON.parse(stdout))
      env[name] ??= values.find((value) => typeof value === 'string' && value.startsWith(beginning))
    }
  }
}

const isFree = (port) =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })
