/**
 * One request and its response.
 *
 * @typedef {object} Exchange
 * @property {'exchange'} kind
 * @property {string} request
 * @property {string} response
 * @property {'received' | 'lost' | 'refused'} outcome
 * @property {number} [count] how many such requests are sent concurrently
 * @property {boolean} [isElsewhere] whether the other instance receives the request
 */

/** @typedef {Exchange | { readonly kind: 'pause' | 'end', readonly text: string }} Step */

const width = 320
const margin = 48
const top = 30

/** A drawing that grows: a line for each party, and an arrow for each message. It uses attributes and classes, because inline styles are forbidden. */
export class Drawing {
  /** @type {SVGSVGElement} */
  #svg
  #height = top
  /** @type {readonly number[]} */
  #lanes
  /** @type {readonly SVGElement[]} */
  #lines = []

  /**
   * @param {SVGSVGElement} svg
   * @param {readonly string[]} parties from left to right
   */
  constructor(svg, parties) {
    this.#svg = svg
    const gap = (width - 2 * margin) / (parties.length - 1)
    this.#lanes = parties.map((_, place) => margin + place * gap)
    svg.replaceChildren()
    this.#lines = this.#lanes.map((x) => createShape('line', { class: 'lane', x1: x, x2: x, y1: top - 8, y2: top }))
    svg.append(...parties.map((party, place) => write(party, this.#lanes[place] ?? 0, 14, 'party')), ...this.#lines)
    this.#grow(0)
  }

  /** @param {Step} step */
  add(step) {
    const group = createShape('g', { class: `step ${step.kind}` })
    this.#svg.append(group)
    if (step.kind === 'exchange') this.#addExchange(group, step)
    else this.#addBar(group, step)
  }

  /**
   * @param {SVGElement} group
   * @param {Exchange} exchange
   */
  #addExchange(group, { request, response, outcome, count = 1, isElsewhere = false }) {
    const [from = 0, here = 0, elsewhere = 0] = this.#lanes
    const to = isElsewhere ? elsewhere : here
    const middle = (from + here) / 2
    const spread = (count - 1) * 4
    const [sent, received] = [this.#height + 20, this.#height + 46 + spread]
    const end = outcome === 'lost' ? middle : from
    for (let offset = 0; offset <= spread; offset += 4) {
      group.append(...arrow(from, to, sent + offset, 'request'), ...arrow(to, end, received + offset, outcome))
    }
    if (outcome === 'lost') {
      group.append(createShape('path', { class: 'cross', d: `M${middle - 5} ${received - 5}l10 10m0 -10l-10 10` }))
    }
    group.append(
      write(request, middle, sent - 5),
      write(response, middle, received - (outcome === 'lost' ? 9 : 6), outcome),
    )
    this.#grow(58 + 2 * spread)
  }

  /**
   * @param {SVGElement} group
   * @param {{ readonly text: string }} bar
   */
  #addBar(group, { text }) {
    group.append(
      createShape('rect', { x: 8, y: this.#height + 8, width: width - 16, height: 24, rx: 4 }),
      write(text, width / 2, this.#height + 24),
    )
    this.#grow(38)
  }

  /** @param {number} by */
  #grow(by) {
    this.#height += by
    for (const line of this.#lines) line.setAttribute('y2', String(this.#height + 6))
    this.#svg.setAttribute('viewBox', `0 0 ${width} ${this.#height + 8}`)
  }
}

/**
 * @param {number} from
 * @param {number} to
 * @param {number} y
 * @param {string} kind
 */
const arrow = (from, to, y, kind) => {
  const back = to < from ? 6 : -6
  return [
    createShape('line', { class: `arrow ${kind}`, x1: from, x2: to, y1: y, y2: y }),
    createShape('path', { class: `head ${kind}`, d: `M${to + back} ${y - 4}L${to} ${y}L${to + back} ${y + 4}` }),
  ]
}

/**
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {string} [kind]
 */
const write = (text, x, y, kind = 'label') => {
  const element = createShape('text', { class: kind, x, y, 'text-anchor': 'middle' })
  element.textContent = text
  return element
}

/**
 * @param {string} name
 * @param {Readonly<Record<string, string | number>>} attributes
 * @returns {SVGElement}
 */
const createShape = (name, attributes) => {
  const element = /** @type {SVGElement} */ (document.createElementNS('http://www.w3.org/2000/svg', name))
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, String(value))
  return element
}
