import type { Limiter } from '@jwt-auth/core'
import type { ScriptRunner } from './script-runner.js'

/**
 * Creates the limiter of a storage. Redis deletes a count when its window ends.
 *
 * A call runs one script for each key, all in one round trip. The keys of a cluster are on
 * different nodes. A call that fails rejects with an `Error` that has the code of Redis, of the
 * socket or of the client's error.
 *
 * @param prefix what the keys of the counts start with
 */
export const createRedisLimiter = (runFor: ScriptRunner, prefix: string): Limiter => {
  return {
    reserve: async (counts, { now, mark, signal }) => {
      const { run } = runFor('count an attempt', signal)
      const [marked = [], ...windows] = await Promise.all([
        mark === undefined ? [] : run(findMarkScript, `${prefix}${mark}`, String(now)),
        ...counts.map(({ key, durationSeconds }) =>
          run(addAttemptScript, `${prefix}${key}`, String(now), String(durationSeconds * 1_000)),
        ),
      ])
      return {
        windows: counts.map(({ key }, place) => toWindow(key, windows[place])),
        isMarked: marked.length > 0,
      }
    },
    refund: async (windows, { now, mark, signal }) => {
      const { run } = runFor('count an attempt', signal)
      await Promise.all([
        ...windows.map(({ key, endsAt }) => run(takeBackScript, `${prefix}${key}`, String(endsAt))),
        mark && run(setMarkScript, `${prefix}${mark.key}`, String(now), String(mark.endsAt)),
      ])
    },
  }
}

const toWindow = (key: string, [count, endsAt]: readonly string[] = []) => ({
  key,
  count: Number(count),
  endsAt: Number(endsAt),
})

// The scripts of the counts. A count and a mark are hashes with the field `endsAt`, the instant at
// which the window or the mark ends by the clock of the instances. The server deletes the key after
// the same time by its own clock. Instants stay text, and `tonumber` compares them exactly.

/**
 * ARGV: present instant, length of a window. Adds an attempt. Returns the attempts of the window
 * and its end.
 */
const addAttemptScript = `
local endsAt = redis.call('HGET', KEYS[1], 'endsAt')
if not endsAt or tonumber(endsAt) <= tonumber(ARGV[1]) then
  endsAt = string.format('%.0f', tonumber(ARGV[1]) + tonumber(ARGV[2]))
  redis.call('HSET', KEYS[1], 'attempts', 0, 'endsAt', endsAt)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return {tostring(redis.call('HINCRBY', KEYS[1], 'attempts', 1)), endsAt}
`

/** ARGV: end of a window. Takes an attempt back if this window is the present one and has any. */
const takeBackScript = `
local held = redis.call('HMGET', KEYS[1], 'endsAt', 'attempts')
if held[1] ~= ARGV[1] then return {} end
if tonumber(held[2]) <= 1 then redis.call('DEL', KEYS[1]) else redis.call('HINCRBY', KEYS[1], 'attempts', -1) end
return {}
`

/** ARGV: present instant. Returns the end of a mark, or an empty list if there is none. */
const findMarkScript = `
local endsAt = redis.call('HGET', KEYS[1], 'endsAt')
return endsAt and tonumber(endsAt) > tonumber(ARGV[1]) and {endsAt} or {}
`

/** ARGV: present instant, end of the mark. Sets the mark, unless it ends later already. */
const setMarkScript = `
local held = redis.call('HGET', KEYS[1], 'endsAt')
if held and tonumber(held) >= tonumber(ARGV[2]) then return {} end
redis.call('HSET', KEYS[1], 'endsAt', ARGV[2])
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', tonumber(ARGV[2]) - tonumber(ARGV[1])))
return {}
`
