import assert from 'node:assert/strict'
import { modelPolicy } from '../reference-session.js'
import { createRig, granted, type PublishedFailure } from '../rig.js'

const pastGraceMs = modelPolicy.refreshGraceSeconds * 1_000 + 1
const refused = 'jwt_auth_invalid_refresh_token'

/** Published failures of refreshes. */
export const refreshFailures: readonly PublishedFailure[] = [
  {
    name: 'a refresh token is used twice, by two instances that both read it before either wrote (CVE-2026-1035)',
    run: async (subject) => {
      const { service, ask, play, playUntil, release, logIn, stored } = await createRig(subject)
      const login = await logIn()
      const first = ask(service('A').refresh(login.refreshToken))
      const swap = await playUntil('A: storage.rotate')
      const second = ask(service('B').refresh(login.refreshToken))
      release(await playUntil('B: storage.rotate'))
      release(swap)
      const tokens = [granted(await play(first)), granted(await play(second))]
      assert.equal(new Set(tokens.map(({ refreshToken }) => refreshToken)).size, 1, 'two refresh tokens were returned')
      assert.equal((await stored(login.sessionId))?.recentVerifiers.length, 1, 'the token was replaced twice')
    },
  },
  {
    name: 'a rotated refresh token is valid again after a restart (CVE-2026-9802)',
    run: async (subject) => {
      const { world, service, play, logIn } = await createRig(subject)
      const login = await logIn()
      const next = granted(await play(service('A').refresh(login.refreshToken)))
      world.clocks.advance(pastGraceMs)
      for (const name of ['A', 'B']) world.restart(name)
      assert.equal(await play(service('A').refresh(login.refreshToken)), refused)
      assert.equal(await play(service('B').refresh(next.refreshToken)), refused, 'the replay did not end the session')
    },
  },
  {
    name: 'two rotations within one second, or one millisecond, return the same tokens or lose one',
    run: async (subject) => {
      const { service, play, logIn } = await createRig(subject)
      const login = await logIn()
      const second = granted(await play(service('A').refresh(login.refreshToken)))
      const third = granted(await play(service('B').refresh(second.refreshToken)))
      const tokens = [login, second, third].flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken])
      assert.equal(new Set(tokens).size, 6, 'two tokens are equal')
      for (const { refreshToken } of [login, second]) {
        const again = granted(await play(service('A').refresh(refreshToken)))
        assert.equal(again.refreshToken, third.refreshToken, 'an old token does not lead to the current one')
      }
    },
  },
  {
    name: 'a replay leaves the successor usable',
    run: async (subject) => {
      const { world, service, play, logIn } = await createRig(subject)
      const login = await logIn()
      const next = granted(await play(service('A').refresh(login.refreshToken)))
      world.clocks.advance(pastGraceMs)
      assert.equal(await play(service('B').refresh(login.refreshToken)), refused)
      assert.equal(await play(service('A').refresh(next.refreshToken)), refused, 'the successor still works')
      assert.equal(await play(service('A').authorize(next.accessToken)), 'jwt_auth_invalid_token')
    },
  },
  {
    name: 'the loser of a race ends the session',
    run: async (subject) => {
      const { service, ask, play, playUntil, release, logIn } = await createRig(subject)
      const login = await logIn()
      const loser = ask(service('A').refresh(login.refreshToken))
      const swap = await playUntil('A: storage.rotate')
      const winner = granted(await play(service('B').refresh(login.refreshToken)))
      release(swap)
      assert.equal(granted(await play(loser)).refreshToken, winner.refreshToken)
      assert.equal(typeof (await play(service('A').authorize(winner.accessToken))), 'object', 'the session has ended')
      granted(await play(service('A').refresh(winner.refreshToken)))
    },
  },
  {
    name: 'a replay ends the session, but the error that is thrown for the response rolls the transaction back',
    run: async (subject) => {
      const { world, service, ask, play, playUntil, logIn, stored } = await createRig(subject)
      const login = await logIn()
      granted(await play(service('A').refresh(login.refreshToken)))
      world.clocks.advance(pastGraceMs)
      ask(service('A').refresh(login.refreshToken))
      const ending = await playUntil('A: storage.end')
      await ending.advance()
      // The process crashes here, before its error could replace what it wrote.
      world.calls.drop(ending)
      world.restart('A')
      assert.equal((await stored(login.sessionId))?.endReason, 'refresh_token_replayed')
    },
  },
  {
    name: 'a retry keeps a replaced refresh token valid for longer',
    run: async (subject) => {
      const { world, service, play, logIn } = await createRig(subject)
      const login = await logIn()
      const next = granted(await play(service('A').refresh(login.refreshToken)))
      for (const _ of [1, 2]) {
        world.clocks.advance(pastGraceMs / 2)
        await play(service('B').refresh(login.refreshToken))
      }
      assert.equal(await play(service('A').refresh(next.refreshToken)), refused, 'it was valid after its grace window')
    },
  },
  {
    name: 'a refresh token counts as used before the use is committed',
    run: async (subject) => {
      const { service, ask, play, playUntil, logIn, stored } = await createRig(subject)
      const login = await logIn()
      const before = await stored(login.sessionId)
      const failing = ask(service('A').refresh(login.refreshToken))
      const swap = await playUntil('A: storage.rotate')
      swap.fail()
      assert.equal(await play(failing), 'jwt_auth_unavailable')
      assert.deepEqual(await stored(login.sessionId), before, 'a refresh that failed has changed the session')
      granted(await play(service('B').refresh(login.refreshToken)))
    },
  },
]
