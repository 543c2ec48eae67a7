import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { outcomeOf } from '@jwt-auth/test-support/outcome'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { expect, it } from 'vitest'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const measureMiB = (): number => {
  collectGarbage()
  return process.memoryUsage().heapUsed / 2 ** 20
}

it('the counts of 100,000 networks take at most 40 MiB, and are freed after their windows', async () => {
  const { service, users, system } = createTestService({ onEvent: () => {} })
  users.verifyPassword = async () => false
  const fail = async (place: number): Promise<void> => {
    const address = `10.${place >> 16}.${(place >> 8) & 255}.${place & 255}`
    await outcomeOf(service.login({ username: `user${place}`, password: 'wrong' }, { address }))
    await outcomeOf(service.refresh(`jwtauth_rt_${'A'.repeat(64)}`, { address }))
  }
  for (let place = 0; place < 1_000; place += 1) await fail(place)
  system.advance(10 * 86_400_000)
  const before = measureMiB()
  for (let place = 0; place < 100_000; place += 1) await fail(place)
  expect(measureMiB() - before).toBeLessThan(40)
  system.advance(10 * 86_400_000)
  for (let place = 0; place < 10; place += 1) await fail(place)
  expect(measureMiB() - before).toBeLessThan(10)
})
