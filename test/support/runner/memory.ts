import { closeSync, openSync, readFileSync, readSync } from 'node:fs'

/** The texts to look for, by the names they are reported with. */
export type Needles = ReadonlyMap<string, Buffer>

const chunkBytes = 256 * 1024
const zeros = Buffer.alloc(chunkBytes)

/**
 * Searches all written memory of another process, native buffers and both kinds
 * of JavaScript strings included, and returns the names of the texts found. Linux allows this to root, and to any
 * process for its descendants.
 */
export function searchMemory(pid: number, needles: Needles): string[] {
  const longest = Math.max(...[...needles.values()].map((needle) => needle.length))
  const search = makeSearch(needles)
  const found = new Set<string>()
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  const chunk = Buffer.alloc(chunkBytes + longest)
  let bytesRead = 0
  for (const { start, end } of writtenRegions(pid)) {
    for (let at = start; at < end; at += chunkBytes) {
      const length = readSome(memory, chunk, at, Math.min(chunk.length, end - at))
      bytesRead += length
      // Most of the memory that a process reserves is never written.
      if (!chunk.subarray(0, Math.min(length, chunkBytes)).equals(zeros.subarray(0, length)))
        search(chunk.subarray(0, length), found)
    }
  }
  closeSync(memory)
  if (bytesRead < 10_000_000) throw new Error(`only ${bytesRead} bytes of process ${pid} could be read`)
  return [...found].sort()
}

/** Finds any of many needles in one pass, with a fast check of their first bytes. */
export function makeSearch(needles: Needles): (bytes: Buffer, found: Set<string>) => void {
  const byStart = new Map<number, [string, Buffer][]>()
  const isStart = new Uint8Array(65_536)
  for (const [name, needle] of needles) {
    const start = needle.readUInt16BE(0)
    byStart.set(start, [...(byStart.get(start) ?? []), [name, needle]])
    isStart[start] = 1
  }
  return (bytes, found) => {
    const length = bytes.length
    let start = 0
    for (let at = 0; at < length; at++) {
      start = ((start << 8) | (bytes[at] as number)) & 0xffff
      if (isStart[start] === 0 || at === 0) continue
      for (const [name, needle] of byStart.get(start) ?? []) {
        if (bytes[at + 1] !== needle[2] || bytes[at + 2] !== needle[3] || bytes[at + 3] !== needle[4]) continue
        if (needle.equals(bytes.subarray(at - 1, at - 1 + needle.length))) found.add(name)
      }
    }
  }
}

function writtenRegions(pid: number): { start: number; end: number }[] {
  const lines = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')
  return lines.flatMap((line) => {
    const region = /^([0-9a-f]+)-([0-9a-f]+) r(.).. \S+ \S+ \S+ *(.*)$/.exec(line)
    if (!region) return []
    const [, start = '', end = '', writable, what = ''] = region
    // Program and library files, and the kernel's own pages.
    if ((what.startsWith('/') && writable !== 'w') || what.startsWith('[v')) return []
    return [{ start: Number.parseInt(start, 16), end: Number.parseInt(end, 16) }]
  })
}

/** Reads a region, which may be gone or shorter by now: the process keeps running. */
function readSome(memory: number, into: Buffer, position: number, length: number): number {
  try {
    return readSync(memory, into, 0, length, position)
  } catch {
    return 0
  }
}

/** Bytes as they are, and as text would show them. */
export function spellings(name: string, bytes: Uint8Array): [string, Buffer][] {
  const raw = Buffer.from(bytes)
  return [
    [`${name}, raw`, raw],
    ...textSpellings(`${name}, hexadecimal`, raw.toString('hex')),
    ...textSpellings(`${name}, base64`, raw.toString('base64')),
  ]
}

/** The two encodings in which JavaScript stores strings. */
export function textSpellings(name: string, text: string): [string, Buffer][] {
  return [
    [`${name}, one byte a character`, Buffer.from(text, 'latin1')],
    [`${name}, two bytes a character`, Buffer.from(text, 'utf16le')],
  ]
}
