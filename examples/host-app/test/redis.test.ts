import { needs } from '@jwt-auth/test-support/describe-each'
import { describe } from 'vitest'
import { expectOneService } from './support/expect-one-service.js'
import { it, redis } from './support/redis-it.js'

// More on Redis: redis.slow.test.ts.
describe('two processes of the host app on one Redis, in one folder', needs(redis), () => {
  it('are one service', async ({ installProgram, start }) => {
    const program = await installProgram()
    const [one, other] = await Promise.all([start(program), start(program)])

    await expectOneService(one, other)
  })
})
