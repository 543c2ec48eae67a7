import type { HashingPriority } from '@jwt-auth/core'
import { describe, expect, it } from 'vitest'
import { createHashingLanes, type HashingLanes } from '../src/hashing-lanes.js'

interface Check {
  readonly name: string
}

const known = (network: string): HashingPriority => ({ isKnown: true, network })
const knownUser = (user: string, network: string): HashingPriority => ({ isKnown: true, network, user })
const other = (network: string): HashingPriority => ({ isKnown: false, network })

const addTo = (
  lanes: HashingLanes<Check>,
  priority: HashingPriority | undefined,
  ...names: readonly string[]
): void => {
  for (const name of names) lanes.add(priority, { name })
}

const takeAll = (lanes: HashingLanes<Check>): string => {
  const names: string[] = []
  for (let check = lanes.takeNext(); check !== undefined; check = lanes.takeNext()) names.push(check.name)
  return names.join(' ')
}

describe('takeNext', () => {
  it('serves three known checks, then one other', () => {
    const lanes = createHashingLanes<Check>(100)
    addTo(lanes, other('192.0.2.1'), 'o1', 'o2', 'o3')
    addTo(lanes, known('192.0.2.2'), 'k1', 'k2', 'k3', 'k4', 'k5')
    expect(takeAll(lanes)).toBe('k1 k2 k3 o1 k4 k5 o2 o3')
  })

  it.each([
    ['known', known],
    ['other', other],
  ])('serves networks in turn among %s checks', (_, priority) => {
    const lanes = createHashingLanes<Check>(100)
    addTo(lanes, priority('192.0.2.1'), 'a1', 'a2', 'a3')
    addTo(lanes, priority('192.0.2.2'), 'b1')
    expect(takeAll(lanes)).toBe('a1 b1 a2 a3')
  })

  it('gives a known user on many networks one turn, which the networks share', () => {
    const lanes = createHashingLanes<Check>(100)
    for (const number of [1, 2, 3]) addTo(lanes, knownUser('attacker', `192.0.2.${number}`), `a${number}`, `b${number}`)
    addTo(lanes, knownUser('attacker', '192.0.2.1'), 'c1')
    addTo(lanes, knownUser('owner', '198.51.100.1'), 'owner')
    expect(takeAll(lanes)).toBe('a1 owner a2 b1 a3 c1 b2 b3')
  })

  it('serves users of a network in turn with a user who also waits on many other networks', () => {
    const lanes = createHashingLanes<Check>(100)
    for (const number of [1, 2, 3, 4, 5]) addTo(lanes, knownUser('attacker', `192.0.2.${number}`), `a${number}`)
    addTo(lanes, knownUser('colleague', '192.0.2.1'), 'colleague')
    expect(takeAll(lanes)).toBe('a1 a2 colleague a3 a4 a5')
  })

  it('gives a network of many known users one turn, which the users share', () => {
    const lanes = createHashingLanes<Check>(100)
    for (const number of [1, 2, 3]) addTo(lanes, knownUser(`a${number}`, '192.0.2.1'), `a${number}`)
    addTo(lanes, knownUser('a1', '192.0.2.1'), 'again')
    addTo(lanes, knownUser('owner', '198.51.100.1'), 'owner')
    expect(takeAll(lanes)).toBe('a1 owner a2 a3 again')
  })

  it('give all /64s of one /48 one turn among known checks, and in it all /64s of one /56', () => {
    const lanes = createHashingLanes<Check>(100)
    for (const [network, name] of [
      ['2001:db8:1:200::/64', 'a'],
      ['2001:db8:1:201::/64', 'b'],
      ['2001:db8:1:300::/64', 'c'],
      ['2001:db8:2:0::/64', 'd'],
    ] as const) {
      addTo(lanes, knownUser(name, network), name)
    }
    expect(takeAll(lanes)).toBe('a d c b')
  })

  it('neither serves nor counts a known check that was removed', () => {
    const lanes = createHashingLanes<Check>(100)
    const { remove } = lanes.add(knownUser('a', '192.0.2.1'), { name: 'a' })
    addTo(lanes, knownUser('b', '192.0.2.2'), 'b')
    remove()
    remove()
    expect(lanes.countAhead(knownUser('c', '192.0.2.3'))).toBe(1)
    expect(takeAll(lanes)).toBe('b')
  })

  it('serves networks in turn among other checks, regardless of the user', () => {
    const lanes = createHashingLanes<Check>(100)
    for (const user of ['a', 'b', 'c']) addTo(lanes, { ...other('192.0.2.1'), user }, user)
    addTo(lanes, other('192.0.2.2'), 'd')
    expect(takeAll(lanes)).toBe('a d b c')
  })

  it('gives all /64s of one /48 one turn, and in it all /64s of one /56', () => {
    const lanes = createHashingLanes<Check>(100)
    addTo(lanes, other('2001:db8:1:200::/64'), 'a')
    addTo(lanes, other('2001:db8:1:201::/64'), 'b')
    addTo(lanes, other('2001:db8:1:2ff::/64'), 'c')
    addTo(lanes, other('2001:db8:1:300::/64'), 'd')
    addTo(lanes, other('2001:db8:2:0::/64'), 'e')
    expect(takeAll(lanes)).toBe('a e d b c')
  })

  it('gives checks without a priority every other turn among the others', () => {
    const lanes = createHashingLanes<Check>(100)
    for (const number of [1, 2, 3, 4]) addTo(lanes, other(`192.0.2.${number}`), `c${number}`)
    addTo(lanes, undefined, 'app1', 'app2')
    expect(takeAll(lanes)).toBe('c1 app1 c2 app2 c3 c4')
  })
})

describe('add', () => {
  /** Adds checks one by one, as the queue does, and returns which were evicted. */
  const fill = (
    lanes: HashingLanes<Check>,
    priority: HashingPriority | undefined,
    names: readonly string[],
  ): string[] =>
    names.flatMap((name) => {
      const { evicted } = lanes.add(priority, { name })
      return evicted === undefined ? [] : [`${evicted.check.name}: ${evicted.bound}`]
    })
  const named = (prefix: string, count: number): string[] =>
    Array.from({ length: count }, (_, number) => `${prefix}${number}`)

  it.each([
    ['an IPv4 address', () => '192.0.2.1'],
    ['a /48', (number: number) => `2001:db8:1:${number.toString(16)}::/64`],
  ])('evicts checks of one network (%s) beyond a quarter of the queue, in each lane', (_, networkOf) => {
    for (const priority of [known, other]) {
      const lanes = createHashingLanes<Check>(8)
      const evicted = named('a', 4).flatMap((name, number) => fill(lanes, priority(networkOf(number)), [name]))
      expect(evicted).toEqual(['a2: network', 'a3: network'])
    }
  })

  it('evicts a check of the /56 with most checks when a /48 has more than a quarter of the queue', () => {
    const lanes = createHashingLanes<Check>(8)
    fill(lanes, other('2001:db8:1:200::/64'), ['a1', 'a2'])
    expect(fill(lanes, other('2001:db8:1:300::/64'), ['b1'])).toEqual(['a2: network'])
  })

  it('evicts checks of one known user beyond a quarter of the queue, from many networks', () => {
    const lanes = createHashingLanes<Check>(8)
    const evicted = named('a', 4).flatMap((name, number) => fill(lanes, knownUser('a', `192.0.2.${number}`), [name]))
    expect(evicted).toEqual(['a2: user', 'a3: user'])
  })

  it('evicts a check of the known user with most checks', () => {
    const lanes = createHashingLanes<Check>(8)
    for (const number of [1, 2]) fill(lanes, knownUser('a', `192.0.2.${number}`), [`a${number}`])
    for (const number of [3, 4, 5, 6, 7, 8]) fill(lanes, knownUser(`u${number}`, `192.0.2.${number}`), [`u${number}`])
    expect(fill(lanes, knownUser('owner', '198.51.100.1'), ['owner'])).toEqual(['a2: queue'])
  })

  it('evicts a check of the user with most checks, not of another user on one of their networks', () => {
    const lanes = createHashingLanes<Check>(12)
    for (const number of [1, 2, 3]) fill(lanes, knownUser('attacker', `192.0.2.${number}`), [`a${number}`])
    fill(lanes, knownUser('colleague', '192.0.2.3'), ['colleague'])
    for (const user of named('u', 8)) fill(lanes, knownUser(user, `198.51.100.${user.slice(1)}`), [user])
    expect(fill(lanes, knownUser('owner', '203.0.113.1'), ['owner'])).toEqual(['a3: queue'])
  })

  it('evicts a check of the network with most known checks', () => {
    const lanes = createHashingLanes<Check>(8)
    for (const user of ['a', 'b']) fill(lanes, knownUser(user, '192.0.2.1'), [user])
    for (const number of [3, 4, 5, 6, 7, 8]) fill(lanes, knownUser(`u${number}`, `192.0.2.${number}`), [`u${number}`])
    expect(fill(lanes, knownUser('owner', '198.51.100.1'), ['owner'])).toEqual(['b: queue'])
  })

  it('evicts no check of the application until the queue is full', () => {
    expect(fill(createHashingLanes<Check>(8), undefined, named('a', 9))).toEqual(['a8: queue'])
  })

  it('evicts a check of the network with most checks', () => {
    const lanes = createHashingLanes<Check>(8)
    for (const number of [1, 2, 3, 4]) fill(lanes, other(`192.0.2.${number}`), [`a${number}`, `b${number}`])
    expect(fill(lanes, other('198.51.100.1'), ['new'])).toEqual(['b4: queue'])
  })

  it('evicts the newest check when all networks have equally many', () => {
    const lanes = createHashingLanes<Check>(4)
    for (const number of [1, 2, 3, 4]) fill(lanes, other(`192.0.2.${number}`), [`a${number}`])
    expect(fill(lanes, other('198.51.100.1'), ['new'])).toEqual(['new: queue'])
  })

  it('evicts another check when a known check finds the queue full', () => {
    const lanes = createHashingLanes<Check>(4)
    for (const number of [1, 2, 3, 4]) fill(lanes, other(`192.0.2.${number}`), [`a${number}`])
    expect(fill(lanes, known('198.51.100.1'), ['owner'])).toEqual(['a4: queue'])
  })

  it('evicts a known check while known checks hold more than half of the queue', () => {
    const lanes = createHashingLanes<Check>(4)
    for (const number of [1, 2, 3, 4]) fill(lanes, known(`192.0.2.${number}`), [`a${number}`])
    expect(fill(lanes, other('198.51.100.1'), ['new'])).toEqual(['a4: queue'])
    expect(fill(lanes, other('198.51.100.2'), ['newer'])).toEqual(['a3: queue'])
    expect(fill(lanes, other('198.51.100.3'), ['newest'])).toEqual(['newest: queue'])
  })

  it.each([
    ['a known', known],
    ['any other', other],
  ])('evicts %s check when none may wait', (_, priority) => {
    expect(fill(createHashingLanes<Check>(0), priority('192.0.2.1'), ['a'])).toEqual(['a: queue'])
  })
})

describe('countAhead', () => {
  it('counts the checks of the lane, and the turns of the other lane between them', () => {
    const lanes = createHashingLanes<Check>(100)
    for (const number of [1, 2, 3, 4, 5, 6]) addTo(lanes, known(`192.0.2.${number}`), `k${number}`)
    addTo(lanes, other('192.0.2.1'), 'o1')
    addTo(lanes, other('192.0.2.2'), 'o2')
    expect(lanes.countAhead(other('198.51.100.1'))).toBe(2 + 6)
    expect(lanes.countAhead(known('198.51.100.1'))).toBe(6 + 2)
    for (const number of [3, 4, 5]) addTo(lanes, other(`192.0.2.${number}`), `o${number}`)
    expect(lanes.countAhead(known('198.51.100.1'))).toBe(6 + 2)
  })

  it.each([
    ['one known user of many networks', (number: number) => knownUser('a', `192.0.2.${number}`)],
    ['many known users of one network', (number: number) => knownUser(`a${number}`, '192.0.2.1')],
  ])('counts one turn of %s', (_, toPriority) => {
    const lanes = createHashingLanes<Check>(100)
    for (const number of [1, 2, 3, 4]) addTo(lanes, toPriority(number), `a${number}`)
    expect(lanes.countAhead(knownUser('owner', '198.51.100.1'))).toBe(1)
  })
})
