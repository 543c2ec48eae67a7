/**
 * The scripts that run on the key of a session. The key is a hash: text fields as they are,
 * instants as decimal text, null fields absent. A hash with the only field `deleted` is a deleted
 * session whose index entries are being removed.
 *
 * Instants stay text, and `tonumber` compares them exactly. A number that Lua converts to text has
 * only 14 digits.
 */

/**
 * Defines `setBackstop`, which lets the server delete a key at an instant, but not earlier than in
 * one day.
 */
export const setBackstop = `
local function setBackstop(key, instant)
  local earliest = (tonumber(redis.call('TIME')[1]) + 86400) * 1000
  redis.call('PEXPIREAT', key, string.format('%.0f', math.max(tonumber(instant), earliest)))
end
`

const dayMs = 86_400_000

/** Returns when the server deletes a session by itself: a day after its absolute expiry. */
export const toBackstop = (absoluteExpiresAt: number): string => String(absoluteExpiresAt + dayMs)

/** Returns all fields and values of each session, alternately. */
export const findSessionsScript = `
local found = {}
for place, key in ipairs(KEYS) do found[place] = redis.call('HGETALL', key) end
return found
`

/**
 * ARGV: backstop, then fields and values. Creates the session, or returns the selector hash and the
 * user of the session with this id.
 */
export const createSessionScript = `
${setBackstop}
if redis.call('EXISTS', KEYS[1]) == 1 then
  local held = redis.call('HMGET', KEYS[1], 'selectorHash', 'user')
  return {'taken', held[1] or '', held[2] or ''}
end
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
setBackstop(KEYS[1], ARGV[1])
return {'created'}
`

/**
 * ARGV: expected verifier hash, new idle expiry, then fields and values. Writes the fields if the
 * session has this verifier hash and has not ended. Returns the selector hash and the user when the
 * idle expiry becomes earlier.
 */
export const rotateSessionScript = `
local held = redis.call('HMGET', KEYS[1], 'verifierHash', 'endedAt', 'idleExpiresAt', 'selectorHash', 'user')
if held[1] ~= ARGV[1] or held[2] then return {'stale'} end
redis.call('HDEL', KEYS[1], 'lastUserAgent', 'lastIpAddress')
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
if tonumber(ARGV[2]) < tonumber(held[3]) then return {'rotated', held[4], held[5]} end
return {'rotated'}
`

/**
 * ARGV: instant, reason, text of the field `user`, or empty text for a session without this field.
 * Ends the session if it has this user and has not ended, and empties its recent verifiers. A
 * stored end that is not an instant is overwritten. Otherwise the new end would be lost when
 * somebody repairs the session.
 */
export const endSessionScript = `
local held = redis.call('HMGET', KEYS[1], 'user', 'endedAt', 'endReason')
if (held[1] or '') ~= ARGV[3] then return {'not-found'} end
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], 'deleted') == 1 then return {'not-found'} end
if held[2] and tonumber(held[2]) then return {'already-ended', held[2], held[3] or ''} end
redis.call('HSET', KEYS[1], 'endedAt', ARGV[1], 'endReason', ARGV[2], 'recentVerifiers', '[]')
return {'ended'}
`

/**
 * ARGV: instant, selector hash. Deletes the session if it had ended or expired at the instant, and
 * keeps its id taken until its index entries are removed. Also keeps an unused id taken: a creation
 * in progress must not succeed without its index entries. An instant that cannot be read is
 * ignored. If none can be read, the session counts as expired from the time at which the server
 * would delete it.
 */
export const deleteSessionScript = `
local held = redis.call('HMGET', KEYS[1], 'selectorHash', 'user', 'endedAt', 'idleExpiresAt', 'absoluteExpiresAt')
local outcome = 'missing'
if held[1] then
  if held[1] ~= ARGV[2] then return {'another', held[1], held[2] or ''} end
  local expiresAt = nil
  for place = 3, 5 do
    local instant = held[place] and tonumber(held[place])
    if instant and (not expiresAt or instant < tonumber(expiresAt)) then expiresAt = held[place] end
  end
  if not expiresAt then
    local backstop = redis.call('PEXPIRETIME', KEYS[1])
    expiresAt = backstop < 0 and '9007199254740991' or string.format('%.0f', backstop)
  end
  if tonumber(expiresAt) > tonumber(ARGV[1]) then return {'not-expired', expiresAt} end
  outcome = 'deleted'
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'deleted', '1')
redis.call('PEXPIRE', KEYS[1], 86400000)
return {outcome}
`

/** Frees the id of a deleted session. */
export const freeIdScript = `
if redis.call('HEXISTS', KEYS[1], 'deleted') == 1 then redis.call('DEL', KEYS[1]) end
return {}
`
