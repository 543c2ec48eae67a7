import assert from 'node:assert/strict'
import { passwordOf, usernameOf } from '../host-users.js'
import { createRig, granted, type PublishedFailure } from '../rig.js'

const refused = 'jwt_auth_invalid_token'

/** Published failures of revocations, logins and aborted requests. */
export const revocationFailures: readonly PublishedFailure[] = [
  {
    name: 'a refresh that was in progress when its session was revoked returns tokens that work',
    run: async (subject) => {
      const { service, ask, play, playUntil, release, logIn } = await createRig(subject)
      const login = await logIn()
      const refreshing = ask(service('A').refresh(login.refreshToken))
      const swap = await playUntil('A: storage.rotate')
      assert.equal(typeof (await play(service('B').revoke(login.accessToken))), 'object')
      release(swap)
      assert.equal(await play(refreshing), 'jwt_auth_invalid_refresh_token')
      assert.equal(await play(service('B').authorize(login.accessToken)), refused)
    },
  },
  {
    name: 'a guarded request joins a lookup that was sent before the revocation',
    run: async (subject) => {
      const { service, ask, play, playUntil, release, logIn } = await createRig(subject)
      const login = await logIn()
      const early = ask(service('A').authorize(login.accessToken))
      const lookup = await playUntil('A: storage.findByIds')
      await lookup.advance()
      // The lookup has read the session. The next line outdates what it read.
      assert.equal(typeof (await play(service('B').revoke(login.accessToken))), 'object')
      const late = ask(service('A').authorize(login.accessToken))
      release(lookup)
      await play(early)
      assert.equal(await play(late), refused, 'a request that started after the revocation was authenticated')
    },
  },
  {
    name: 'a revocation whose write failed returns 200 (CVE-2020-15223)',
    run: async (subject) => {
      const { service, ask, play, playUntil, logIn } = await createRig(subject)
      const login = await logIn()
      const revoking = ask(service('A').revoke(login.accessToken))
      const write = await playUntil('A: storage.end')
      write.fail()
      assert.equal(await play(revoking), 'jwt_auth_revoke_failed')
      assert.equal(
        typeof (await play(service('A').authorize(login.accessToken))),
        'object',
        'the failed revocation ended the session',
      )
      assert.equal(typeof (await play(service('A').revoke(login.accessToken))), 'object', 'a retry does not revoke')
    },
  },
  {
    name: 'a login that was still hashing overtakes a password change',
    run: async (subject) => {
      const { world, service, ask, play, playUntil, release } = await createRig(subject)
      const login = ask(service('A').authenticate({ username: usernameOf(1), password: passwordOf(1) }))
      const hashing = await playUntil('A: users.verifyPassword')
      await hashing.advance()
      world.users.change(1, (user) => ({ ...user, version: user.version + 1 }))
      assert.equal(await play(service('B').sessions.revokeAll(1)), 0)
      release(hashing)
      assert.equal(await play(login), 'jwt_auth_failed', 'the old password opened a session')
      assert.deepEqual(await play(service('B').sessions.list(1)), [])
    },
  },
  {
    name: 'the response to an aborted request reaches another request',
    run: async (subject) => {
      const { world, service, ask, play, playUntil, release, logIn } = await createRig(subject)
      const login = await logIn()
      const other = granted(await play(service('A').authenticate({ username: usernameOf(2), password: passwordOf(1) })))
      const aborted = ask(service('A').refresh(login.refreshToken))
      const lookup = await playUntil('A: storage.findBySelectorHash')
      world.instance('A').fireTimers()
      assert.equal(await play(aborted), 'jwt_auth_unavailable')
      const next = ask(service('A').refresh(other.refreshToken))
      release(lookup)
      const { user, sessionId } = granted(await play(next))
      assert.deepEqual({ id: user.id, sessionId }, { id: 2, sessionId: other.sessionId })
    },
  },
]
