import { setImmediate as nextTurn } from 'node:timers/promises'
import { findByCredentials } from '@jwt-auth/test-support'
import { outcomeOf } from '@jwt-auth/test-support/outcome'
import { createTestSystem, withSystem } from '@jwt-auth/test-support/test-clock'
import bcrypt from 'bcrypt'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { defaultConcurrency } from '../src/hashing-queue.js'
import {
  createHashingQueue,
  type HashingQueue,
  hashPassword,
  type PasswordHasher,
  passwordUsers,
} from '../src/index.js'
import { verifyPassword } from '../src/internal.js'

const cost = 4
const find = async () => undefined

/** Holds every hash of bcrypt until the test releases it. */
const holdBcrypt = () => {
  const held: (() => void)[] = []
  const hold = (result: unknown) => () =>
    new Promise((resolve) => {
      held.push(() => resolve(result))
    })
  vi.spyOn(bcrypt, 'compare').mockImplementation(hold(false))
  vi.spyOn(bcrypt, 'hash').mockImplementation(hold('hash'))
  return held
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await nextTurn()
}

const release = async (held: (() => void)[]): Promise<void> => {
  while (held.length > 0) {
    held.shift()?.()
    await settle()
  }
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the queue of the process', () => {
  it('is shared by all directories, hashPassword and verifyPassword', async () => {
    const held = holdBcrypt()
    const [one, two] = [
      passwordUsers({ findByUsername: find, findById: find, cost }),
      passwordUsers({ findByUsername: find, findById: find, cost }),
    ]
    const attempts = [
      findByCredentials(one, 'ann', 'x'),
      findByCredentials(two, 'ann', 'x'),
      hashPassword('x', { cost }),
      verifyPassword('x', undefined, { cost }),
      findByCredentials(one, 'bob', 'x'),
    ]
    await settle()
    expect(held).toHaveLength(defaultConcurrency())
    await release(held)
    await Promise.all(attempts)
    expect(held).toHaveLength(0)
  })

  it('is replaced by the option queue', async () => {
    const held = holdBcrypt()
    const queue = createHashingQueue({ concurrency: 3 })
    const users = passwordUsers({ findByUsername: find, findById: find, cost, queue })
    const attempts = [
      findByCredentials(users, 'ann', 'x'),
      findByCredentials(users, 'ann', 'x'),
      hashPassword('x', { cost, queue }),
      verifyPassword('x', null, { cost, queue }),
    ]
    await settle()
    expect(held).toHaveLength(3)
    await release(held)
    await Promise.all(attempts)
  })
})

describe('a hash with a priority', () => {
  it('waits with this priority, and without a priority with that of the application', async () => {
    const priorities: unknown[] = []
    const queue: HashingQueue = {
      run: (work, priority) => {
        priorities.push(priority)
        return work()
      },
    }
    const priority = { isKnown: true, network: '192.0.2.1' }
    await verifyPassword('x', null, { cost, queue, priority })
    await verifyPassword('x', null, { cost, queue })
    await hashPassword('x', { cost, queue, priority })
    await hashPassword('x', { cost, queue })
    await passwordUsers({ findByUsername: find, findById: find, cost, queue }).verifyPassword(undefined, 'x', {
      priority,
    })
    expect(priorities).toEqual([priority, undefined, priority, undefined, priority])
  })
})

describe('new passwords of twelve signed-in users', () => {
  const system = createTestSystem()
  const hasher: PasswordHasher = {
    hash: (password) => new Promise((resolve) => void system.startTimer(250, () => resolve(password))),
    verify: async () => 'mismatch',
    needsRehash: () => false,
  }

  it.each([
    ['without a priority', undefined],
    ['of one network', { isKnown: false, network: '192.0.2.1' }],
  ])('are hashed within five seconds while 40 connections sign up %s', async (_, priority) => {
    const queue = createHashingQueue({ concurrency: 1, ...withSystem(system) })
    let hasEnded = false
    const signUp = async (): Promise<void> => {
      while (!hasEnded) await hashPassword('new', { hasher, queue, priority }).catch(() => nextTurn())
    }
    const signUps = Array.from({ length: 40 }, signUp)
    await system.runFor(10_000)
    const changes = Array.from({ length: 12 }, (__, user) =>
      outcomeOf(
        hashPassword('changed', {
          hasher,
          queue,
          priority: { isKnown: true, network: `198.51.100.${user}`, user: `${user}` },
        }),
      ),
    )
    await system.runFor(5_000)
    hasEnded = true
    await system.runFor(20_000)
    expect(await Promise.all(changes)).toEqual(changes.map(() => 'ok'))
    await Promise.all(signUps)
  })
})
