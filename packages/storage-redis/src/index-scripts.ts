import { setBackstop } from './session-scripts.js'

/**
 * On a selector's key. ARGV: session id, backstop. Claims the selector unless it belongs to another
 * session.
 */
export const claimSelectorScript = `
${setBackstop}
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return {'taken'} end
redis.call('SET', KEYS[1], ARGV[1])
setBackstop(KEYS[1], ARGV[2])
return {'claimed'}
`

/** On a selector's key. Returns the session id, or an empty list. */
export const findSelectorScript = `
local held = redis.call('GET', KEYS[1])
return held and {held} or {}
`

/** On a selector's key. ARGV: session id. Frees the selector if it belongs to the session. */
export const freeSelectorScript = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return {}
`

/**
 * On a user's sorted set. ARGV: session id, `createdAt`, backstop. Adds the id. An existing entry
 * keeps its `createdAt`.
 */
export const addToUserScript = `
${setBackstop}
redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[1])
if redis.call('PEXPIRETIME', KEYS[1]) < tonumber(ARGV[3]) then setBackstop(KEYS[1], ARGV[3]) end
return {}
`

/**
 * On the sorted set of a user's ended sessions. ARGV: session id, `endedAt`, backstop. Adds the id.
 * An existing entry only moves to a later time. Keeps the 10,000 latest entries, nine times as many
 * as a list contains.
 */
export const addToEndedScript = `
${setBackstop}
redis.call('ZADD', KEYS[1], 'GT', ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -10001)
if redis.call('PEXPIRETIME', KEYS[1]) < tonumber(ARGV[3]) then setBackstop(KEYS[1], ARGV[3]) end
return {}
`

/** On a sorted set of a user's sessions. Returns all session ids, the latest time first. */
export const listUserScript = `
return redis.call('ZRANGE', KEYS[1], 0, -1, 'REV')
`

/**
 * On a sorted set by time. ARGV: member, time. Adds the member. An existing member only moves to an
 * earlier time.
 */
export const addEarliestScript = `
redis.call('ZADD', KEYS[1], 'LT', ARGV[2], ARGV[1])
return {}
`

/** On a sorted set by time. ARGV: member, time. Moves an existing member to the time. */
export const moveScript = `
redis.call('ZADD', KEYS[1], 'XX', ARGV[2], ARGV[1])
return {}
`

/**
 * On a sorted set by time. ARGV: instant, limit. Returns members up to the instant, earliest first.
 */
export const listUpToScript = `
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
`

/**
 * On a sorted set by time. ARGV: first time, last time, limit. Returns members and times,
 * alternately, earliest first. A caller that continues from the last time misses no member when
 * others are removed between two calls.
 */
export const listFromScript = `
return redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], ARGV[2], 'WITHSCORES', 'LIMIT', 0, ARGV[3])
`

/** On a sorted set. ARGV: member. Removes the member. */
export const removeMemberScript = `
redis.call('ZREM', KEYS[1], ARGV[1])
return {}
`
