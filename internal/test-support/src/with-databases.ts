/**
 * Runs a command with a PostgreSQL, a MariaDB and a Redis. Starts them from the installed programs,
 * except those that an environment variable names (`TEST_POSTGRES_URL`, `TEST_MYSQL_URL`,
 * `TEST_REDIS_URL`), and stops them when the command has ended.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { servers } from './databases.js'
import type { OwnServer } from './own-server.js'
import { findOwnServers } from './own-servers.js'

/**
 * Runs the command and resolves to its exit code. A signal ends the command first, and then its
 * servers.
 */
const runCommand = async ([command = '', ...args]: readonly string[]): Promise<number> => {
  const child = spawn(command, args, { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  const [code] = await once(child, 'close')
  return code ?? 1
}

const started: OwnServer[] = []
try {
  for (const { name, start } of findOwnServers()) {
    const { variable } = servers[name]
    if (process.env[variable]) continue
    const server = await start()
    started.push(server)
    process.env[variable] = server.url
  }
  process.exitCode = await runCommand(process.argv.slice(2))
} finally {
  await Promise.all(started.map(({ remove }) => remove()))
}
