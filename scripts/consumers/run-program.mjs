// Runs a program of a page, and uses a server as the page shows.
import { isListening } from '../../internal/test-support/src/databases.ts'
import { findFreePort, startServerProcess } from '../../internal/test-support/src/server-process.ts'
import { run, userEnvironment } from '../processes.mjs'
import { findCurlCommands, findShortenedVariables, isAsShown } from './pages.mjs'

/** Runs a program to its end, and compares its output. Resolves to what was checked, in words. */
export const runToEnd = async ({ cwd, start, output, env }) => {
  const [command, ...args] = start.split(' ')
  const stdout = (await run(command, args, { cwd, env: { ...userEnvironment(), ...env } })).trim()
  if (output !== '' && !isAsShown(stdout, output)) throw new Error(`it printed\n${stdout}`)
  return 'ran to its end'
}

/**
 * Starts a server on a free port, compares the output of each curl command of README.md, and stops
 * the server with Ctrl-C.
 */
export const serveAndRequest = async ({ cwd, start, env }) => {
  const [command, ...args] = start.split(' ')
  const port = await findFreePort()
  const server = await startServerProcess({
    command,
    args,
    cwd,
    env: { ...userEnvironment(), ...env, PORT: `${port}` },
    readyLine: `listening on http://localhost:${port}`,
  })
  await sendCommands(cwd, port).finally(server.pressCtrlC)
  if (await isListening(new URL(`http://localhost:${port}`))) throw new Error('the port is still in use after Ctrl-C')
  return `${findCurlCommands('README.md').length} curl commands printed what the README shows, Ctrl-C stopped the program`
}

const sendCommands = async (cwd, port) => {
  const env = userEnvironment()
  for (const { command, prints } of findCurlCommands('README.md')) {
    const stdout = await run('sh', ['-c', command.replaceAll('localhost:3000', `localhost:${port}`)], { cwd, env })
    if (!isAsShown(stdout, `${prints}\n`)) throw new Error(`${command}\nprinted ${stdout}instead of ${prints}`)
    // The reader copies the tokens of the login into the variables.
    for (const [name, beginning] of findShortenedVariables('README.md')) {
      env[name] ??= Object.values(JSON.parse(stdout)).find((value) => String(value).startsWith(beginning))
    }
  }
}
