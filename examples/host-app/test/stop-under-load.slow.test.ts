import { describe, expect } from 'vitest'
import { logIn } from './support/flows.js'
import { it } from './support/it.js'
import { runLoad } from './support/load.js'

// `SHUTDOWNS=20 npx vitest run examples/host-app/test/stop-under-load` is the longer run that docs/reliability.md reports.
const shutdowns = Number(process.env['SHUTDOWNS'] ?? 3)

describe('an example host that receives SIGTERM under load', () => {
  it.for(Array.from({ length: shutdowns }, (_, place) => place + 1))(
    'responds to every request that has arrived, and resets no connection: shutdown %i',
    async (_, { startProcess }) => {
      const host = await startProcess({ RATE_LIMIT: 'off' })
      const { token } = await logIn(host)
      let isStopped = false
      const { responses, failures } = await runLoad(host, {
        token,
        onResponse: (count) => {
          if (count < 200 || isStopped) return
          isStopped = true
          host.kill('SIGTERM')
        },
      })

      expect(failures).toStrictEqual([])
      expect(responses).toBeGreaterThan(200)
      expect(await host.ended).toMatchObject({ code: 0, stderr: '' })
    },
  )
})
