import type { PlantedBug } from './planted-bug.js'

const refresh = 'core/src/operations/refresh.ts'
const revoke = 'core/src/operations/revoke.ts'
const lookup = 'core/src/session/coalesced-lookup.ts'
const search = 'core/src/session/batch-search.ts'
const decide = 'core/src/session/decide-refresh.ts'
const rotate = 'core/src/session/rotate-session.ts'
const record = 'core/src/session/session-record.ts'
const memory = 'storage-memory/src/memory-storage.ts'

/** Bugs in the decisions that everything rests on, each of a kind that was made somewhere before. */
export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'a lookup joins a batch that was already sent',
    file: lookup,
    seed: 9,
    edits: [
      [
        '  return (id) =>\n    new Promise((resolve, reject) => {',
        '  const sent = new Map()\n  return (id) => sent.get(id) ?? sent.set(id, new Promise((resolve, reject) => {',
      ],
      ['else sendSoon()\n    })\n', 'else sendSoon()\n    }).finally(() => sent.delete(id))).get(id)\n'],
    ],
  },
  {
    name: 'a lookup that fails is taken for a session that is not there',
    file: search,
    seed: 4,
    edits: [
      ['listener.refuse(ids, reason)', 'listener.answer(ids, [])'],
      ['refuse(part, failure)', 'answer(part, [])'],
    ],
  },
  {
    name: 'a replay ends nothing',
    file: refresh,
    seed: 1,
    edits: [['await endReplayed(parts, { session, place }, now)', '']],
  },
  {
    name: 'a replay is answered before its ending is written',
    file: refresh,
    seed: 5,
    edits: [
      [
        'await endReplayed(parts, { session, place }, now)',
        'endReplayed(parts, { session, place }, now).catch(() => {})',
      ],
      ["{ at: now, reason: 'refresh_token_replayed' }", "{ at: now, reason: 'replayed' }"],
    ],
  },
  {
    name: 'a replay whose ending failed is answered as if it had ended',
    file: refresh,
    seed: 5,
    edits: [
      [
        'await endReplayed(parts, { session, place }, now)',
        'await endReplayed(parts, { session, place }, now).catch(() => {})',
      ],
    ],
  },
  {
    name: 'a retry extends the grace window',
    file: refresh,
    seed: 1,
    edits: [
      [
        'const hostClaims = await parts.readHostClaims(grant.user)\n  return issueTokens(parts.issueAccessToken, { ...grant, hostClaims }, now)',
        `const hostClaims = await parts.readHostClaims(grant.user)
  await parts.storage.rotate({
    ...grant.session,
    sessionId: grant.session.id,
    expectedVerifierHash: grant.session.verifierHash,
    recentVerifiers: grant.session.recentVerifiers.map((recent) => ({ ...recent, replacedAt: now })),
  })
  return issueTokens(parts.issueAccessToken, { ...grant, hostClaims }, now)`,
      ],
    ],
  },
  {
    name: 'the loser of a race ends the session',
    file: refresh,
    seed: 1,
    edits: [
      [
        "return (await parts.storage.rotate(rotation)) === 'rotated' ? result : 'stale'",
        "if ((await parts.storage.rotate(rotation)) === 'rotated') return result\n  await endSession(parts, session, { at: now, reason: 'raced' })\n  throw refused()",
      ],
    ],
  },
  {
    name: 'the loser of a race answers with its own tokens',
    file: refresh,
    seed: 1,
    edits: [
      [
        "return (await parts.storage.rotate(rotation)) === 'rotated' ? result : 'stale'",
        'await parts.storage.rotate(rotation)\n  return result',
      ],
    ],
  },
  {
    name: 'tokens are answered before the swap is written',
    file: refresh,
    seed: 1,
    edits: [
      [
        "return (await parts.storage.rotate(rotation)) === 'rotated' ? result : 'stale'",
        'parts.storage.rotate(rotation).catch(() => {})\n  return result',
      ],
    ],
  },
  {
    name: 'the walk to the current token stops one salt too early',
    file: decide,
    seed: 1,
    edits: [
      ['if (step === undefined) return presented', 'if (step === undefined || rest.length === 0) return presented'],
    ],
  },
  {
    name: 'a replaced token stays good for ever',
    file: decide,
    seed: 1,
    edits: [['graceSeconds > 0 && Math.abs(now - replacedAt) <= graceSeconds * 1000', 'true']],
  },
  {
    name: 'a replaced token is good without a grace window',
    file: decide,
    seed: 1,
    graceSeconds: 0,
    edits: [['graceSeconds > 0 && ', '']],
  },
  {
    name: 'the grace window is a millisecond too short',
    file: decide,
    seed: 4,
    edits: [['<= graceSeconds * 1000', '< graceSeconds * 1000']],
  },
  {
    name: 'only the last replaced token is remembered',
    file: rotate,
    seed: 1,
    edits: [['const mostRecentVerifiers = 8', 'const mostRecentVerifiers = 1']],
  },
  {
    name: 'recent verifiers in the middle are forgotten before older ones',
    file: rotate,
    seed: 8,
    edits: [
      [
        'session.recentVerifiers.slice(0, goodUntil + 1)',
        'session.recentVerifiers.filter((recent) => isWithinGrace(recent, now, policy.refreshGraceSeconds))',
      ],
    ],
  },
  {
    name: 'a refresh moves the idle end past the absolute one',
    file: rotate,
    seed: 1,
    edits: [
      [
        'Math.min(now + policy.sessionIdleTimeoutSeconds * 1000, session.absoluteExpiresAt)',
        'now + policy.sessionIdleTimeoutSeconds * 1000',
      ],
    ],
  },
  {
    name: 'an access token outlives its session',
    file: 'core/src/operations/issue-access-token.ts',
    seed: 2,
    edits: [
      [
        'Math.min(now + options.accessTokenLifetimeSeconds * 1000, endOf(session))',
        'now + options.accessTokenLifetimeSeconds * 1000',
      ],
    ],
  },
  {
    name: 'an ended session counts as live until it expires',
    file: record,
    seed: 1,
    edits: [['session.endedAt === null && now < endOf(session)', 'now < endOf(session)']],
  },
  {
    name: 'a changed password is no reason to end a session',
    file: record,
    seed: 3,
    edits: [
      [
        "return toCredentialVersion(user) === credentialVersion ? undefined : 'credentials_changed'",
        'return undefined',
      ],
    ],
  },
  {
    name: 'the credential version is read after the password check',
    file: 'core/src/operations/authenticate.ts',
    seed: 1,
    edits: [
      [
        'await openSession(parts, user, device)',
        'await openSession(parts, (await parts.users.findByUsername(username)) ?? user, device)',
      ],
    ],
  },
  {
    name: 'the user is not looked up again after a login',
    file: 'core/src/operations/open-session.ts',
    seed: 3,
    edits: [['const reason = reasonToEnd(user, session.credentialVersion)', 'const reason = undefined']],
  },
  {
    name: 'a revocation is answered before it is written',
    file: revoke,
    seed: 4,
    edits: [
      [
        "const { outcome } = await endSession(parts, session, { at: now, reason: 'revoked' })\n    return outcome",
        "endSession(parts, session, { at: now, reason: 'revoked' }).catch(() => {})\n    return 'ended'",
      ],
    ],
  },
  {
    name: 'a revocation whose write failed is answered as done',
    file: revoke,
    seed: 1,
    edits: [['throw toRevokeFailed(thrown)', "return 'ended'"]],
  },
  {
    name: 'the swap does not heed that the session has ended',
    file: memory,
    edits: [['|| session.endedAt !== null) return', ') return']],
  },
  {
    name: 'the swap does not compare',
    file: memory,
    seed: 1,
    edits: [['session?.verifierHash !== expectedVerifierHash ||', 'session === undefined ||']],
  },
  {
    name: 'ending overwrites an earlier end',
    file: memory,
    seed: 4,
    edits: [['if (session.endedAt !== null) return alreadyEnded(session)', '']],
  },
]
