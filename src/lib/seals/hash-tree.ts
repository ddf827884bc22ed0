import { hash } from 'node:crypto'

/**
 * A hash tree over a list of contents. Its root stands for all of them, and a path proves that a content is one of them.
 * Contents and inner nodes are hashed with different first bytes, so that no node passes for a content (RFC 9162, 2.1.1).
 */

type Step = { sibling: Buffer; isSiblingFirst: boolean }

/** The steps from a content up to the root. */
export type Path = readonly Step[]

const hashLength = 32
/** Each step has a bit in one byte. */
const longestPath = 8

/** Computes the root of a list, and the path of each of its contents. A node without a sibling moves up as it is. */
export function treeOf(contents: readonly Buffer[]): { root: Buffer; paths: Path[] } {
  const paths: Step[][] = contents.map(() => [])
  let nodes = contents.map((content, at) => ({ hash: hashContent(content), below: [at] }))
  while (nodes.length > 1) {
    const next: typeof nodes = []
    for (let at = 0; at < nodes.length; at += 2) {
      const [left, right] = [nodes[at], nodes[at + 1]] as [(typeof nodes)[number], (typeof nodes)[number] | undefined]
      if (right) {
        for (const each of left.below) paths[each]?.push({ sibling: right.hash, isSiblingFirst: false })
        for (const each of right.below) paths[each]?.push({ sibling: left.hash, isSiblingFirst: true })
      }
      next.push(right ? { hash: hashNode(left.hash, right.hash), below: [...left.below, ...right.below] } : left)
    }
    nodes = next
  }
  const [top] = nodes
  if (!top) throw new Error('a hash tree needs a content')
  return { root: top.hash, paths }
}

/** Computes the root from a content and its path. */
export function climb(content: Buffer, path: Path): Buffer {
  let reached = hashContent(content)
  for (const { sibling, isSiblingFirst } of path) {
    reached = isSiblingFirst ? hashNode(sibling, reached) : hashNode(reached, sibling)
  }
  return reached
}

/** Writes a path: a byte with a bit for each step, which tells whether the sibling comes first, and the siblings. */
export function writePath(path: Path): Buffer {
  const sides = path.reduce((bits, { isSiblingFirst }, at) => bits | (Number(isSiblingFirst) << at), 0)
  return Buffer.concat([Buffer.of(sides), ...path.map(({ sibling }) => sibling)])
}

/** Reads a path; undefined when the bytes are none. */
export function readPath(bytes: Buffer): Path | undefined {
  const [sides = 0] = bytes
  const count = (bytes.length - 1) / hashLength
  if (!Number.isInteger(count) || count < 1 || count > longestPath || sides >> count !== 0) return undefined
  return Array.from({ length: count }, (_, at) => ({
    sibling: bytes.subarray(1 + at * hashLength, 1 + (at + 1) * hashLength),
    isSiblingFirst: ((sides >> at) & 1) === 1,
  }))
}

function hashContent(content: Buffer): Buffer {
  return hash('sha256', Buffer.concat([contentByte, content]), 'buffer')
}

function hashNode(left: Buffer, right: Buffer): Buffer {
  return hash('sha256', Buffer.concat([nodeByte, left, right]), 'buffer')
}

const contentByte = Buffer.of(0)
const nodeByte = Buffer.of(1)
