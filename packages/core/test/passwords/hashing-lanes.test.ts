import { describe, expect, it } from 'vitest'
import { createHashingLanes, type HashingLanes } from '../../src/passwords/hashing-lanes.js'
import type { HashingPlace } from '../../src/ports/hashing-place.js'

interface Check {
  readonly name: string
}

const known = (network: string): HashingPlace => ({ isKnown: true, network })
const knownUser = (user: string, network: string): HashingPlace => ({ isKnown: true, network, user })
const other = (network: string): HashingPlace => ({ isKnown: false, network })

const addTo = (lanes: HashingLanes<Check>, place: HashingPlace | undefined, ...names: readonly string[]): void => {
  for (const name of names) lanes.add(place, { name })
}

const takeAll = (lanes: HashingLanes<Check>): string => {
  const names: string[] = []
  for (let check = lanes.takeNext(); check !== undefined; check = lanes.takeNext()) names.push(check.name)
  return names.join(' ')
}

describe('the lanes of the hashing queue', () => {
  it('serve three known checks, then one other', () => {
    const lanes = createHashingLanes<Check>(100)
    addTo(lanes, other('192.0.2.1'), 'o1', 'o2', 'o3')
    addTo(lanes, known('192.0.2.2'), 'k1', 'k2', 'k3', 'k4', 'k5')
    expect(takeAll(lanes)).toBe('k1 k2 k3 o1 k4 k5 o2 o3')
  })

  it.each([
    ['known', known],
    ['other', other],
  ])('have networks take turns among %s checks', (_, place) => {
    const lanes = createHashingLanes<Check>(100)
    addTo(lanes, place('192.0.2.1'), 'a1', 'a2', 'a3')
    addTo(lanes, place('192.0.2.2'), 'b1')
    expect(takeAll(lanes)).toBe('a1 b1 a2 a3')
  })

  it('have users take turns among known checks, and in the turns of a user networks', () => {
    const lanes = createHashingLanes<Check>(100)
    for (const number of [1, 2, 3]) addTo(lanes, knownUser('attacker', `192.0.2.${number}`), `a${number}`, `b${number}`)
    addTo(lanes, knownUser('attacker', '192.0.2.1'), 'c1')
    addTo(lanes, knownUser('owner', '198.51.100.1'), 'owner')
    expect(takeAll(lanes)).toBe('a1 owner a2 a3 b1 b2 b3 c1')
  })

  it('have networks take turns among other checks, whoever the user is', () => {
    const lanes = createHashingLanes<Check>(100)
    for (const user of ['a', 'b', 'c']) addTo(lanes, { ...other('192.0.2.1'), user }, user)
    addTo(lanes, other('192.0.2.2'), 'd')
    expect(takeAll(lanes)).toBe('a d b c')
  })

  it('give all /64s of one /48 one turn, and in it all /64s of one /56', () => {
    const lanes = createHashingLanes<Check>(100)
    addTo(lanes, other('2001:db8:1:200::/64'), 'a')
    addTo(lanes, other('2001:db8:1:201::/64'), 'b')
    addTo(lanes, other('2001:db8:1:2ff::/64'), 'c')
    addTo(lanes, other('2001:db8:1:300::/64'), 'd')
    addTo(lanes, other('2001:db8:2:0::/64'), 'e')
    expect(takeAll(lanes)).toBe('a e d b c')
  })

  it('give checks without a place every other turn among the others', () => {
    const lanes = createHashingLanes<Check>(100)
    for (const number of [1, 2, 3, 4]) addTo(lanes, other(`192.0.2.${number}`), `c${number}`)
    addTo(lanes, undefined, 'app1', 'app2')
    expect(takeAll(lanes)).toBe('c1 app1 c2 app2 c3 c4')
  })
})

describe('the surplus of the hashing queue', () => {
  /** Adds checks one by one, as the queue does, and returns which were surplus. */
  const fill = (lanes: HashingLanes<Check>, place: HashingPlace | undefined, names: readonly string[]): string[] =>
    names.flatMap((name) => {
      lanes.add(place, { name })
      const surplus = lanes.takeSurplus(place)
      return surplus === undefined ? [] : [`${surplus.check.name}: ${surplus.bound}`]
    })
  const named = (prefix: string, count: number): string[] =>
    Array.from({ length: count }, (_, number) => `${prefix}${number}`)

  it.each([
    ['an IPv4 address', () => '192.0.2.1'],
    ['a /48', (number: number) => `2001:db8:1:${number.toString(16)}::/64`],
  ])('is what one network (%s) has beyond a quarter of the queue, in each lane', (_, networkOf) => {
    for (const place of [known, other]) {
      const lanes = createHashingLanes<Check>(8)
      const surplus = named('a', 4).flatMap((name, number) => fill(lanes, place(networkOf(number)), [name]))
      expect(surplus).toEqual(['a2: network', 'a3: network'])
    }
  })

  it('is what one known user has beyond a quarter of the queue, from many networks', () => {
    const lanes = createHashingLanes<Check>(8)
    const surplus = named('a', 4).flatMap((name, number) => fill(lanes, knownUser('a', `192.0.2.${number}`), [name]))
    expect(surplus).toEqual(['a2: user', 'a3: user'])
  })

  it('is of the known user with most checks, and there of the network with most', () => {
    const lanes = createHashingLanes<Check>(8)
    fill(lanes, knownUser('b', '192.0.2.1'), ['b0', 'b1'])
    for (const user of ['c', 'd']) fill(lanes, knownUser(user, '192.0.2.1'), [`${user}0`])
    const attacks = [
      ['192.0.2.1', 'a0'],
      ['192.0.2.2', 'a1'],
    ] as const
    for (const [network, name] of attacks) fill(lanes, knownUser('a', network), [name])
    fill(lanes, other('192.0.2.1'), ['o0', 'o1'])
    expect(fill(lanes, knownUser('owner', '198.51.100.1'), ['owner'])).toEqual(['a1: queue'])
    expect(fill(lanes, knownUser('owner2', '198.51.100.2'), ['owner2'])).toEqual(['b1: queue'])
  })

  it('is nothing of the application until the queue is full', () => {
    expect(fill(createHashingLanes<Check>(8), undefined, named('a', 9))).toEqual(['a8: queue'])
  })

  it('is of the network with most checks, not of a quiet newcomer', () => {
    const lanes = createHashingLanes<Check>(8)
    for (const number of [1, 2, 3, 4]) fill(lanes, other(`192.0.2.${number}`), [`a${number}`, `b${number}`])
    expect(fill(lanes, other('198.51.100.1'), ['new'])).toEqual(['b4: queue'])
  })

  it('is the newcomer where all networks have as many', () => {
    const lanes = createHashingLanes<Check>(4)
    for (const number of [1, 2, 3, 4]) fill(lanes, other(`192.0.2.${number}`), [`a${number}`])
    expect(fill(lanes, other('198.51.100.1'), ['new'])).toEqual(['new: queue'])
  })

  it('is of the others where a known check finds the queue full', () => {
    const lanes = createHashingLanes<Check>(4)
    for (const number of [1, 2, 3, 4]) fill(lanes, other(`192.0.2.${number}`), [`a${number}`])
    expect(fill(lanes, known('198.51.100.1'), ['owner'])).toEqual(['a4: queue'])
  })

  it('is of the known checks while they hold more than half of the queue', () => {
    const lanes = createHashingLanes<Check>(4)
    for (const number of [1, 2, 3, 4]) fill(lanes, known(`192.0.2.${number}`), [`a${number}`])
    expect(fill(lanes, other('198.51.100.1'), ['new'])).toEqual(['a4: queue'])
    expect(fill(lanes, other('198.51.100.2'), ['newer'])).toEqual(['a3: queue'])
    expect(fill(lanes, other('198.51.100.3'), ['newest'])).toEqual(['newest: queue'])
  })

  it.each([
    ['a known', known],
    ['any other', other],
  ])('is %s check where none may wait', (_, place) => {
    expect(fill(createHashingLanes<Check>(0), place('192.0.2.1'), ['a'])).toEqual(['a: queue'])
  })
})

describe('the checks ahead of a new one', () => {
  it('are those of its lane, and the turns of the other lane between them', () => {
    const lanes = createHashingLanes<Check>(100)
    for (const number of [1, 2, 3, 4, 5, 6]) addTo(lanes, known(`192.0.2.${number}`), `k${number}`)
    addTo(lanes, other('192.0.2.1'), 'o1')
    addTo(lanes, other('192.0.2.2'), 'o2')
    expect(lanes.countAhead(other('198.51.100.1'))).toBe(2 + 6)
    expect(lanes.countAhead(known('198.51.100.1'))).toBe(6 + 2)
  })
})
