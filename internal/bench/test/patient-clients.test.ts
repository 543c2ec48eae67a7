import { describe, expect, it } from 'vitest'
import { runPatientClients } from '../src/load/patient-clients.js'
import { serve } from './support/serve.js'

const plan = { clients: 3, seconds: 0.5, requestAt: () => ({ options: {} }) }

describe('patient clients', () => {
  it('send the next request after a response', async () => {
    const url = await serve((_req, res) => res.end())
    const { statuses } = await runPatientClients({ ...plan, url })
    expect(statuses[200]).toBeGreaterThan(plan.clients)
  })

  it('wait as long as Retry-After requires', async () => {
    let asked = 0
    const url = await serve((_req, res) => {
      asked += 1
      res.writeHead(503, { 'retry-after': '60' }).end()
    })
    await runPatientClients({ ...plan, url })
    expect(asked).toBe(plan.clients)
  })

  it('abort requests without a response in time', async () => {
    const url = await serve(() => {})
    expect((await runPatientClients({ ...plan, url, seconds: 0.05 })).statuses).toEqual({})
  })
})
