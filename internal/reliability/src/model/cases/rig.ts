import assert from 'node:assert/strict'
import { type AuthenticationResult, isAuthError, type SessionRecord } from '@jwt-auth/core'
import { settle } from '../actions.js'
import type { HeldCall } from '../held-calls.js'
import { passwordOf, usernameOf } from '../host-users.js'
import { createWorld, type Subject, type World } from '../world.js'

/** Two instances, `A` and `B`, over one storage, with every call between them in the hand of a case. */
export interface Rig {
  readonly world: World
  readonly service: (instance: 'A' | 'B') => ReturnType<World['instance']>['service']
  /** Begins an operation whose outcome is looked at later. */
  readonly ask: <T>(promise: Promise<T>) => Promise<T>
  /** Lets calls happen in their order until a promise is settled; answers with a value or the code of an error. */
  readonly play: <T>(promise: Promise<T>) => Promise<T | string>
  /** Lets calls happen until one of this name waits, and lays that one aside: it happens when the case says so. */
  readonly playUntil: (title: string) => Promise<HeldCall>
  /** Takes a call that was laid aside back among the others. */
  readonly letGo: (call: HeldCall) => void
  /** Logs user 1 in on `A`. */
  readonly logIn: () => Promise<AuthenticationResult>
  readonly stored: (sessionId: string) => Promise<SessionRecord | undefined>
}

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
  // A case looks at an operation's outcome when its time has come, which may be long after it failed.
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
    letGo: (call) => aside.delete(call),
    logIn: async () =>
      granted(await play(service('A').authenticate({ username: usernameOf(1), password: passwordOf(1) }))),
    stored: async (sessionId) => (await world.storage.findByIds([sessionId]))[0],
  }
}

const advanceOne = async (call: HeldCall | undefined): Promise<void> => {
  assert(call !== undefined, 'nothing is held, and what is waited for does not come')
  await call.advance()
  await settle()
}

/** A pair of tokens, where an operation gave one. */
export const granted = (outcome: AuthenticationResult | string): AuthenticationResult => {
  assert(typeof outcome === 'object', `tokens are refused: ${String(outcome)}`)
  return outcome
}
