import type { ServerProgram } from './own-server.js'

/** Redis with every acknowledged write on disk, and without eviction. */
export const redisProgram = (command: string): ServerProgram => ({
  command,
  prepare: async () => {},
  args: ({ folder, port }) => {
    const settings = {
      port: String(port),
      bind: '127.0.0.1',
      dir: folder,
      save: '',
      appendonly: 'yes',
      appendfsync: 'always',
      'maxmemory-policy': 'noeviction',
    }
    return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  },
  readyLine: 'Ready to accept connections',
  crashSignal: 'SIGKILL',
  cleanSignal: 'SIGTERM',
  url: (port) => `redis://127.0.0.1:${port}`,
})
