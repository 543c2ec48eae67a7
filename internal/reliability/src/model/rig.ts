import assert from 'node:assert/strict'
import { type AuthenticationResult, isAuthError, type SessionRecord } from '@jwt-auth/core'
import { findRecord } from '@jwt-auth/test-support/find-records'
import { settle } from './actions.js'
import type { HeldCall } from './held-calls.js'
import { passwordOf, usernameOf } from './host-users.js'
import type { Subject } from './model-instance.js'
import { createWorld, type World } from './world.js'

/**
 * Two instances, `A` and `B`, over one storage. A case decides when each of their calls advances.
 */
export interface Rig {
  readonly world: World
  readonly service: (instance: 'A' | 'B') => ReturnType<World['instance']>['service']
  /** Starts an operation whose outcome the case reads later. */
  readonly ask: <T>(promise: Promise<T>) => Promise<T>
  /**
   * Advances calls in their order until a promise is settled. Resolves to its value or to the code
   * of its error.
   */
  readonly play: <T>(promise: Promise<T>) => Promise<T | string>
  /**
   * Advances calls until one with this title waits, and sets that call aside: only the case
   * advances it.
   */
  readonly playUntil: (title: string) => Promise<HeldCall>
  /** Puts a call that was set aside back among the others. */
  readonly release: (call: HeldCall) => void
  /** Logs user 1 in at `A`. */
  readonly logIn: () => Promise<AuthenticationResult>
  /** Reads a session from storage. */
  readonly stored: (sessionId: string) => Promise<SessionRecord | undefined>
}

/** Creates a rig without sessions. */
export const createRig = async (subject: Subject): Promise<Rig> => {
  const world = await createWorld(subject, { typedVersionOf: () => undefined, onOpened: () => {} })
  const aside = new Set<HeldCall>()
  const next = (): HeldCall | undefined => world.calls.waiting.find((call) => !aside.has(call))

  const play = async <T>(promise: Promise<T>): Promise<T | string> => {
    let outcome: { readonly value: T | string } | undefined
    promise.then(
      (value) => {
        outcome = { value }
      },
      (error: unknown) => {
        outcome = { value: isAuthError(error) ? error.code : String(error) }
      },
    )
    await settle()
    while (outcome === undefined) await advanceOne(next())
    return outcome.value
  }

  const playUntil = async (title: string): Promise<HeldCall> => {
    for (;;) {
      await settle()
      const wanted = world.calls.waiting.find((call) => call.title === title)
      if (wanted !== undefined) {
        aside.add(wanted)
        return wanted
      }
      await advanceOne(next())
    }
  }

  const service: Rig['service'] = (instance) => world.instance(instance).service
  // The case may read the outcome long after the operation has failed.
  const ask = <T>(promise: Promise<T>): Promise<T> => {
    promise.catch(() => {})
    return promise
  }

  return {
    world,
    service,
    ask,
    play,
    playUntil,
    release: (call) => aside.delete(call),
    logIn: async () =>
      granted(await play(service('A').authenticate({ username: usernameOf(1), password: passwordOf(1) }))),
    stored: (sessionId) => findRecord(world.storage, sessionId),
  }
}

const advanceOne = async (call: HeldCall | undefined): Promise<void> => {
  assert(call !== undefined, 'no call waits, and the promise is not settled')
  await call.advance()
  await settle()
}

/** Returns the tokens of an outcome. Throws when the outcome is a refusal. */
export const granted = (outcome: AuthenticationResult | string): AuthenticationResult => {
  assert(typeof outcome === 'object', `no tokens were returned: ${String(outcome)}`)
  return outcome
}

/** A failure that other products have shipped. */
export interface PublishedFailure {
  /** What must not happen. */
  readonly name: string
  /** Rejects when the service under test has the failure. */
  readonly run: (subject: Subject) => Promise<void>
}
