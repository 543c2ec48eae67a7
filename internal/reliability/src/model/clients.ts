import type { AuthenticationResult } from '@jwt-auth/core'
import { type ModelUserId, passwordOf, usernameOf } from './host-users.js'
import { authorizing, endingWithOthers, listing, perhaps, refreshing, revoking } from './operations.js'
import { type Outcome, toGranted, toRefusal, toRevoked } from './outcomes.js'
import type { HeardAnswer } from './possible-sessions.js'
import type { RunningOperations } from './running-operations.js'
import type { WatchedSession } from './world.js'

interface KnownRefreshToken {
  readonly name: string
  readonly text: string
  readonly session: WatchedSession
}

interface KnownAccessToken extends KnownRefreshToken {
  readonly exp: number
}

/** Whoever uses the service: clients with the tokens they were given, and the host. */
export interface Clients {
  readonly refreshTokens: readonly KnownRefreshToken[]
  readonly accessTokens: readonly KnownAccessToken[]
  readonly logIn: (instance: string, userId: ModelUserId, passwordVersion: number) => void
  readonly refresh: (instance: string, token: KnownRefreshToken) => void
  readonly authorize: (instance: string, token: KnownAccessToken) => void
  readonly revoke: (instance: string, token: KnownAccessToken) => void
  readonly revokeAll: (instance: string, userId: ModelUserId) => void
  readonly list: (instance: string, userId: ModelUserId) => void
  readonly purge: (instance: string) => void
}

export const createClients = ({ world, begin }: RunningOperations): Clients => {
  const refreshTokens: KnownRefreshToken[] = []
  const accessTokens: KnownAccessToken[] = []

  const sessionsOf = (userId: ModelUserId): readonly WatchedSession[] =>
    world.sessions.filter((session) => session.userId === userId)

  const keepTokens = (session: WatchedSession, result: AuthenticationResult): void => {
    const known = refreshTokens.filter((token) => token.session === session)
    const { exp } = toGranted(result)
    const access = { name: `${session.name}.access${accessTokens.length}`, text: result.accessToken, session, exp }
    const refresh = known.find(({ text }) => text === result.refreshToken) ?? {
      name: `${session.name}.refresh${known.length}`,
      text: result.refreshToken,
      session,
    }
    if (!known.includes(refresh)) refreshTokens.push(refresh)
    accessTokens.push(access)
    world.note(`   (with ${refresh.name} and ${access.name})`)
  }

  const judgeGrant = (session: WatchedSession, number: number, outcome: Outcome<AuthenticationResult>) => {
    if ('code' in outcome) return judgeAnswer(session, number, toRefusal(outcome))
    const { sessionId, user } = outcome.value
    if (sessionId !== session.id || user.id !== session.userId) return 'it answers with somebody else’s session'
    keepTokens(session, outcome.value)
    return judgeAnswer(session, number, toGranted(outcome.value))
  }

  return {
    refreshTokens,
    accessTokens,

    logIn: (instance, userId, passwordVersion) => {
      const before = world.users.find(userId)
      const isRight = before !== undefined && !before.isDisabled && before.version === passwordVersion
      begin(instance, {
        title: `user ${userId} logs in with ${passwordOf(passwordVersion)}`,
        typedVersion: passwordVersion,
        run: (service) => service.authenticate({ username: usernameOf(userId), password: passwordOf(passwordVersion) }),
        judge: (outcome, { opened, number }) => {
          if (opened !== undefined) return judgeGrant(opened, number, outcome)
          if ('value' in outcome) return 'it opens a session that is not stored'
          const isUnchanged = world.users.find(userId) === before
          return isRight && isUnchanged ? 'it refuses the right password' : undefined
        },
      })
    },

    refresh: (instance, { session, text, name }) =>
      begin(instance, {
        title: `refreshes with ${name}`,
        about: [[session, refreshing(text)]],
        run: (service) => service.refresh(text),
        judge: (outcome, { number }) => judgeGrant(session, number, outcome),
      }),

    authorize: (instance, { session, text, name, exp }) =>
      begin(instance, {
        title: `asks to be let in with ${name}`,
        about: [[session, authorizing(exp)]],
        looksUp: session,
        run: (service) => service.authorize(text),
        judge: (outcome, { number }) =>
          judgeAnswer(session, number, 'value' in outcome ? { kind: 'let in' } : toRefusal(outcome)),
      }),

    revoke: (instance, { session, text, name, exp }) =>
      begin(instance, {
        title: `revokes with ${name}`,
        about: [[session, revoking(exp)]],
        run: (service) => service.revoke(text),
        judge: (outcome, { number }) =>
          judgeAnswer(session, number, 'value' in outcome ? toRevoked(outcome.value) : toRefusal(outcome)),
      }),

    revokeAll: (instance, userId) =>
      begin(instance, {
        title: `the host ends all sessions of user ${userId}`,
        about: sessionsOf(userId).map((session) => [session, endingWithOthers]),
        joins: { userId, behaviour: perhaps(endingWithOthers, 'spared') },
        run: (service) => service.sessions.revokeAll(userId),
        judge: (outcome, { number, watchedBy }) => {
          const answers = [...watchedBy].map(({ possible }) => possible.conclude(number))
          const most = answers.filter((kinds) => kinds.has('ended')).length
          const least = answers.filter((kinds) => kinds.has('ended') && kinds.size === 1).length
          const count = 'value' in outcome ? outcome.value : Number.NaN
          return least <= count && count <= most ? undefined : `it ended ${count}, not ${least} to ${most}`
        },
      }),

    list: (instance, userId) =>
      begin(instance, {
        title: `the host lists the sessions of user ${userId}`,
        about: sessionsOf(userId).map((session) => [session, listing]),
        joins: { userId, behaviour: perhaps(listing, 'unlisted') },
        run: (service) => service.sessions.list(userId),
        judge: (outcome, { number, watchedBy }) => {
          if ('code' in outcome) return outcome.message
          const listed = new Set(outcome.value.map(({ id }) => id))
          return [...watchedBy]
            .map((one) => judgeAnswer(one, number, { kind: listed.has(one.id) ? 'listed' : 'unlisted' }))
            .find((violation) => violation !== undefined)
        },
      }),

    purge: (instance) =>
      begin(instance, {
        title: 'the host purges',
        run: (service) => service.sessions.purge(),
        judge: (outcome) => ('code' in outcome ? outcome.message : undefined),
      }),
  }
}

const judgeAnswer = (session: WatchedSession, number: number, answer: HeardAnswer | undefined): string | undefined => {
  if (answer === undefined) return 'it answers with an error that has no place here'
  if (session.possible.answer(number, answer)) return undefined
  return `nothing that may have happened to ${session.name} explains the answer “${answer.kind}”`
}
