import { PDFArray, type PDFContext, PDFDict, PDFName, type PDFObject, PDFRef, PDFStream } from '@cantoo/pdf-lib'
import { documentProblems } from '../document-check.ts'

const { javaScript, action, attachment, xfa, media } = documentProblems

/** Actions (ISO 32000-2, table 201) that reach outside of the file or run code. */
const forbiddenActions: ReadonlyMap<PDFName, string> = new Map(
  Object.entries({
    JavaScript: javaScript,
    Launch: action,
    ImportData: action,
    SubmitForm: action,
    GoToR: action,
    GoToE: attachment,
    Rendition: media,
    Movie: media,
    Sound: media,
    RichMediaExecute: media,
    GoTo3DView: media,
  }).map(([name, problem]) => [PDFName.of(name), problem]),
)
const harmlessActions = new Set(
  ['GoTo', 'GoToDp', 'Thread', 'URI', 'Named', 'SetOCGState', 'Trans', 'Hide', 'ResetForm'].map(PDFName.of),
)

const forbiddenSubtypes: ReadonlyMap<PDFName, string> = new Map(
  Object.entries({
    FileAttachment: attachment,
    RichMedia: media,
    Movie: media,
    Sound: media,
    Screen: media,
    '3D': media,
    // PostScript is executable.
    PS: action,
  }).map(([name, problem]) => [PDFName.of(name), problem]),
)

const key = {
  S: PDFName.of('S'),
  Type: PDFName.of('Type'),
  Subtype: PDFName.of('Subtype'),
  AA: PDFName.of('AA'),
  EF: PDFName.of('EF'),
  F: PDFName.of('F'),
  UF: PDFName.of('UF'),
  OpenAction: PDFName.of('OpenAction'),
}

/** Names with one meaning in every dictionary. Shorter names may also be a file's own name for a font or a picture. */
const forbiddenKeys: ReadonlyMap<PDFName, string> = new Map(
  Object.entries({
    JavaScript: javaScript,
    XFA: xfa,
    EmbeddedFiles: attachment,
    Collection: attachment,
    RichMediaContent: media,
  }).map(([name, problem]) => [PDFName.of(name), problem]),
)

/** Lists an object and its direct content. Referenced objects are objects of their own. */
export function listContents(object: PDFObject): PDFObject[] {
  const contents = [object]
  for (const each of contents) {
    const dict = each instanceof PDFStream ? each.dict : each
    const inside = dict instanceof PDFDict ? dict.values() : each instanceof PDFArray ? each.asArray() : []
    for (const value of inside) contents.push(value)
  }
  return contents
}

export function listDicts(object: PDFObject): { dict: PDFDict; isStream: boolean }[] {
  return listContents(object).flatMap((each): { dict: PDFDict; isStream: boolean }[] => {
    if (each instanceof PDFDict) return [{ dict: each, isStream: false }]
    return each instanceof PDFStream ? [{ dict: each.dict, isStream: true }] : []
  })
}

/** Checks every object, whether a page refers to it or not. Compares names unescaped, as a reader does. */
export function findForbidden(context: PDFContext): string | undefined {
  for (const [, object] of context.enumerateIndirectObjects()) {
    for (const { dict, isStream } of listDicts(object)) {
      const problem = findInDict(dict, isStream)
      if (problem) return problem
    }
  }
  return undefined
}

function findInDict(dict: PDFDict, isStream: boolean): string | undefined {
  const byKey = dict.keys().find((name) => forbiddenKeys.has(name))
  if (byKey) return forbiddenKeys.get(byKey)
  const byName = forbiddenActions.get(nameAt(dict, key.S)) ?? forbiddenSubtypes.get(nameAt(dict, key.Subtype))
  if (byName) return byName
  if (nameAt(dict, key.Type) === PDFName.of('EmbeddedFile')) return attachment
  // A stream whose bytes are in another file.
  if (isStream && dict.has(key.F)) return attachment
  const files = dict.lookup(key.EF)
  if (files instanceof PDFDict && (files.has(key.F) || files.has(key.UF))) return attachment
  const opening = dict.lookup(key.OpenAction)
  if (opening instanceof PDFDict && nameAt(opening, key.S) !== PDFName.of('GoTo')) return whyForbidden(opening)
  const triggers = dict.lookup(key.AA)
  const triggered = triggers instanceof PDFDict ? triggers.keys().map((name) => triggers.lookup(name)) : []
  return triggered.filter(isAction).map(whyForbidden)[0]
}

/** The problem of an action that runs without a click. */
function whyForbidden(dict: PDFDict): string {
  return forbiddenActions.get(nameAt(dict, key.S)) ?? action
}

export function isAction(value: PDFObject | undefined): value is PDFDict {
  if (!(value instanceof PDFDict)) return false
  const name = nameAt(value, key.S)
  return forbiddenActions.has(name) || harmlessActions.has(name)
}

const nothing = PDFName.of('')

function nameAt(dict: PDFDict, at: PDFName): PDFName {
  const value = dict.lookup(at)
  return value instanceof PDFName ? value : nothing
}

/** Tells whether an object only refers to another one. Readers follow such chains to different depths. */
export function hasChains(context: PDFContext): boolean {
  return context.enumerateIndirectObjects().some(([, object]) => object instanceof PDFRef)
}
