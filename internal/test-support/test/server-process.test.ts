import { expect, it } from 'vitest'
import { startServerProcess } from '../src/server-process.js'

// A shell that waits for a program passes no signal on, and does not end before the program.
const program = 'node -e "console.log(\'ready\'); setInterval(() => {}, 1_000)"; true'

it('Ctrl-C ends a server that runs below a shell, as below npx', async () => {
  const server = await startServerProcess({ command: 'sh', args: ['-c', program], readyLine: 'ready' })
  await server.pressCtrlC()

  expect(() => process.kill(-server.processId, 0)).toThrow('ESRCH')
})
