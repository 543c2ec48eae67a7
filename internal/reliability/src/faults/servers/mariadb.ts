import { join } from 'node:path'
import type { Place, ServerProgram } from './own-server.js'
import { runProgram } from './run-program.js'

/** MariaDB with its defaults: every acknowledged write is on disk. */
export const mariadbProgram = (command: string, installDb = ''): ServerProgram => ({
  command,
  prepare: async (place) => {
    const args = [
      '--no-defaults',
      '--auth-root-authentication-method=normal',
      dataFolder(place),
      temporaryFolder(place),
    ]
    await runProgram({ command: installDb, args, cwd: place.folder, user: place.user })
  },
  args: (place) => [
    '--no-defaults',
    dataFolder(place),
    temporaryFolder(place),
    `--port=${place.port}`,
    '--bind-address=127.0.0.1',
    `--socket=${join(place.folder, 'socket')}`,
    `--pid-file=${join(place.folder, 'pid')}`,
  ],
  readyLine: 'ready for connections',
  crashSignal: 'SIGKILL',
  cleanSignal: 'SIGTERM',
  url: (port) => `mysql://root@127.0.0.1:${port}/test`,
})

const dataFolder = ({ folder }: Place): string => `--datadir=${join(folder, 'data')}`

// A starting MariaDB deletes every `#sql*` file in this folder. In the system's folder these are temporary tables of other
// servers.
const temporaryFolder = ({ folder }: Place): string => `--tmpdir=${folder}`
