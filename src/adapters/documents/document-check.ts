import type { CheckedDocument } from '../../customers/ports.ts'

export type MediaType = CheckedDocument['mediaType']

/** A refused file. The problem completes a sentence that begins with the name of the field. */
export type RefusedDocument = { ok: false; problem: string }

export const documentLimits = {
  leastBytes: 100_000,
  mostBytes: 10_485_760,
  leastSide: 200,
  // The memory of an unpacked picture depends on its pixels, not on the size of the file.
  mostPixels: 40_000_000,
  // For progressive JPEG and interlaced PNG, which complete no row before the last byte.
  mostHeldBytes: 160_000_000,
  mostPages: 50,
} as const

export const documentProblems = {
  size: 'must be a file of 100,000 to 10,485,760 bytes',
  type: 'must be a JPG, PNG or PDF whose content matches its type',
  damaged: 'must be a whole, undamaged JPG, PNG or PDF',
  tooFewPixels: 'must be at least 200 pixels wide and 200 pixels high',
  tooManyPixels: 'must have at most 40 megapixels',
  animated: 'must be a still picture',
  hiddenFile: 'must not have another file hidden in it',
  tooComplex: 'is too complex to be checked: send a simpler file',
  encrypted: 'must not need a password to be opened: remove the password, or send its pages as JPG or PNG',
  pages: 'must have 1 to 50 pages',
  javaScript: 'must not contain JavaScript',
  action: 'must not contain actions that run when it is opened or that reach outside of it',
  attachment: 'must not have files attached to it',
  xfa: 'must not contain an XFA form',
  media: 'must not contain sound, video or other embedded media',
} as const

/** The problem of a PDF with something that Svc cannot undo. `what` must hold no text of the file. */
export function unsupported(what: string): string {
  return `must not use ${what}: print it to a new PDF, or send its pages as JPG or PNG`
}

/** Thrown by every rule, caught in one place, and answered as a RefusedDocument. */
export class DocumentRefused extends Error {
  readonly problem: string
  constructor(problem: string) {
    super(`The document ${problem}`)
    this.name = 'DocumentRefused'
    this.problem = problem
  }
}

const mediaTypes: Readonly<Record<string, MediaType>> = {
  'image/jpeg': 'image/jpeg',
  // Not a registered type, but common.
  'image/jpg': 'image/jpeg',
  'image/png': 'image/png',
  'application/pdf': 'application/pdf',
}

/** Compares the declared type with `foundType`, the type of the content's first bytes. */
export function decideMediaType(declaredType: string, foundType: string | undefined): MediaType {
  const declared = Object.hasOwn(mediaTypes, declaredType) ? mediaTypes[declaredType] : undefined
  if (declared === 'image/png' && foundType === 'image/apng') throw new DocumentRefused(documentProblems.animated)
  if (!declared || declared !== foundType) throw new DocumentRefused(documentProblems.type)
  return declared
}

export function checkSize(byteLength: number): void {
  const { leastBytes, mostBytes } = documentLimits
  if (byteLength < leastBytes || byteLength > mostBytes) throw new DocumentRefused(documentProblems.size)
}

export function checkPixels({ width, height }: { width: number; height: number }): void {
  const { leastSide, mostPixels } = documentLimits
  if (width < leastSide || height < leastSide) throw new DocumentRefused(documentProblems.tooFewPixels)
  if (width * height > mostPixels) throw new DocumentRefused(documentProblems.tooManyPixels)
}

const zipEnd = Buffer.from('PK\x05\x06', 'latin1')
const zipEndLength = 22
const longestZipComment = 0xffff

/** Tells whether the file ends as a ZIP. Programs find ZIP, JAR and Office files by their end. */
export function endsAsZip(bytes: Buffer): boolean {
  const tail = bytes.subarray(Math.max(0, bytes.length - zipEndLength - longestZipComment))
  for (let at = tail.indexOf(zipEnd); at >= 0; at = tail.indexOf(zipEnd, at + 1)) {
    if (at + zipEndLength > tail.length) return false
    const directoryLength = tail.readUInt32LE(at + 12)
    const directoryStart = tail.readUInt32LE(at + 16)
    // Both count from the start of the archive or of the whole file; either way they fit before this position.
    if (directoryLength + directoryStart <= bytes.length - tail.length + at) return true
  }
  return false
}

// Five bytes or more: shorter marks occur by chance in the megabytes of video that a camera may append.
const unmistakable = ['%pdf-', '<!doctype', '<html', '<script', '<?php', '<iframe', 'rar!\x1a\x07', 'gif87a', 'gif89a']
const beginnings = [...unmistakable, '<svg', '<?xml', 'pk\x03\x04', '7z\xbc\xaf', '\x7felf', '#!/', '//', '/*']

/**
 * Tells whether a file that another program would open follows the picture. Svc drops other trailing data, such as a
 * camera's gain map, short video or maker notes: the stored file ends with the picture.
 */
export function hidesAnotherFile(bytes: Buffer, pictureEnd: number): boolean {
  if (endsAsZip(bytes)) return true
  const rest = bytes.subarray(pictureEnd).toString('latin1').toLowerCase()
  const start = rest.trimStart()
  return (
    beginnings.some((beginning) => start.startsWith(beginning)) ||
    unmistakable.some((beginning) => rest.includes(beginning))
  )
}
