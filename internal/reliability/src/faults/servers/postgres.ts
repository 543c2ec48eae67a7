import { join } from 'node:path'
import type { ServerProgram } from './own-server.js'
import { runProgram } from './run-program.js'

/** PostgreSQL with its defaults: every acknowledged write is on disk. */
export const postgresProgram = (command: string, initdb = ''): ServerProgram => ({
  command,
  prepare: async ({ folder, user }) => {
    const settings = ['--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C', '--no-sync']
    await runProgram({ command: initdb, args: [...settings, '-D', join(folder, 'data')], cwd: folder, user })
  },
  args: ({ folder, port }) => ['-D', join(folder, 'data'), '-k', folder, '-h', '127.0.0.1', '-p', String(port)],
  readyLine: 'database system is ready to accept connections',
  // The immediate shutdown: all processes abort, and the next start recovers from the log. SIGKILL would end one process only.
  crashSignal: 'SIGQUIT',
  cleanSignal: 'SIGINT',
  url: (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
})
