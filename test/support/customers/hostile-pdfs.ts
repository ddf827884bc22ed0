import { deflateSync } from 'node:zlib'
import { AFRelationship, type PDFDocument, PDFString } from '@cantoo/pdf-lib'
import { documentProblems, unsupported } from '../../../src/adapters/documents/document-check.ts'
import {
  makeBomb,
  makeNoise,
  makePdf,
  makeZip,
  packObject,
  savePdf,
  send,
  startPdf,
  writePdf,
  writeStream,
} from './document-files.ts'
import type { Hostile } from './hostile-documents.ts'
import { encodeAscii85, encodeHex, makeLzwBomb } from './pdf-encoders.ts'

const { damaged, hiddenFile, tooComplex, encrypted, pages, type } = documentProblems
const { tooManyPixels, javaScript, action, attachment, xfa, media } = documentProblems

type Refused = readonly [name: string, content: Buffer, problem: string]

const script = { S: 'JavaScript', JS: PDFString.of('app.alert(1)') }
const pdf = await makePdf()
const join = (...parts: (Buffer | string)[]) => Buffer.concat(parts.map((part) => Buffer.from(part)))

/** A PDF whose page has an annotation. */
const annotate = (annotation: string) =>
  writePdf('', { page: `/Annots [<</Type /Annot /Rect [0 0 9 9] ${annotation}>>]` })

async function change(edit: (made: PDFDocument) => unknown): Promise<Buffer> {
  const made = await startPdf()
  await edit(made)
  return savePdf(made)
}

const encrypt = async (useObjectStreams: boolean) => {
  const made = await startPdf()
  made.encrypt({ userPassword: 'open sesame', ownerPassword: 'simsalabim' })
  return savePdf(made, { useObjectStreams })
}

const scripts: Refused[] = [
  ['JavaScript that runs when it is opened', await makePdf({ OpenAction: script }), javaScript],
  ['JavaScript in an object stream', await makePdf({ OpenAction: script }, { useObjectStreams: true }), javaScript],
  [
    'JavaScript in an object stream written by hand',
    writePdf(packObject(9, '<</S /JavaScript /JS (app.alert(1))>>'), { catalog: '/OpenAction 9 0 R' }),
    javaScript,
  ],
  ['JavaScript in the list of names', await change((made) => made.addJavaScript('main', 'app.alert(1)')), javaScript],
  ['JavaScript that nothing refers to', writePdf('9 0 obj <</S /JavaScript /JS (app.alert(1))>> endobj'), javaScript],
  [
    'JavaScript with an escaped name',
    annotate('/Subtype /Link /A <</S /J#61va#53cript /JS (app.alert(1))>>'),
    javaScript,
  ],
  [
    'JavaScript with every letter escaped',
    annotate('/Subtype /Link /#41 <</#53 /#4a#61#76#61#53#63#72#69#70#74 /#4a#53 (x)>>'),
    javaScript,
  ],
  [
    'JavaScript with comments between its words',
    annotate('/Subtype /Link /A <</S%x\n/JavaScript%y\r/JS<6170>>>'),
    javaScript,
  ],
  [
    'JavaScript whose name is an object of its own',
    writePdf('8 0 obj /JavaScript endobj 9 0 obj <</S 8 0 R /JS (x)>> endobj'),
    javaScript,
  ],
  [
    'JavaScript after a harmless action',
    annotate('/Subtype /Link /A <</S /URI /URI (https://example.com) /Next <</S /JavaScript /JS (x)>>>>'),
    javaScript,
  ],
  [
    'JavaScript named twice, the second time for good',
    annotate('/Subtype /Link /A <</S /GoTo /S /JavaScript /JS (x)>>'),
    javaScript,
  ],
]

const actions: Refused[] = [
  [
    'an address that opens by itself',
    writePdf('', { catalog: '/OpenAction <</S /URI /URI (https://example.com)>>' }),
    action,
  ],
  ['a program that is started', annotate('/Subtype /Link /A <</S /Launch /F (cmd.exe)>>'), action],
  [
    'an action when a page is shown',
    writePdf('', { page: '/AA <</O <</S /URI /URI (https://example.com)>>>>' }),
    action,
  ],
  ['a form that sends itself', annotate('/Subtype /Widget /A <</S /SubmitForm /F (https://example.com)>>'), action],
  ['data from another file', annotate('/Subtype /Widget /A <</S /ImportData /F (a.fdf)>>'), action],
  [
    'a jump to another file',
    annotate('/Subtype /Link /A <</S /GoToR /F (\\\\\\\\host\\\\share) /D [0 /Fit]>>'),
    action,
  ],
  ['a jump to an attached file', annotate('/Subtype /Link /A <</S /GoToE /D [0 /Fit]>>'), attachment],
  [
    'an attached file',
    await change((made) => made.attach(makeNoise(9), 'a.exe', { afRelationship: AFRelationship.Data })),
    attachment,
  ],
  ['an attached file on the page', annotate('/Subtype /FileAttachment /FS <</F (a.exe)>>'), attachment],
  ['a file in a file', writePdf('9 0 obj <</Type /Filespec /F (a) /EF <</F 8 0 R>>>> endobj'), attachment],
  ['a stream in another file', writePdf(writeStream(9, '/F (secrets.txt)', Buffer.alloc(0))), attachment],
  ['a collection of files', writePdf('', { catalog: '/Collection <</View /T>>' }), attachment],
  [
    'an XFA form',
    writePdf(writeStream(9, '', Buffer.from('<xdp/>')), { catalog: '/AcroForm <</Fields [] /XFA 9 0 R>>' }),
    xfa,
  ],
  ['rich media', annotate('/Subtype /RichMedia /RichMediaContent <<>>'), media],
  ['a 3D scene', annotate('/Subtype /3D'), media],
  ['a film', annotate('/Subtype /Movie /Movie <</F (a.avi)>>'), media],
  ['a sound', annotate('/Subtype /Link /A <</S /Sound>>'), media],
  ['a screen for a film', annotate('/Subtype /Screen /A <</S /Rendition /OP 0>>'), media],
  ['a PostScript program', writePdf(writeStream(9, '/Type /XObject /Subtype /PS', Buffer.from('quit'))), action],
]

const flate = '/Filter /FlateDecode'
const ofOnePage = (count: number) => `/Kids [${'3 0 R '.repeat(count)}] /Count ${count}`
const structures: Refused[] = [
  ['a password', await encrypt(false), encrypted],
  ['a password, with object streams', await encrypt(true), encrypted],
  ['51 pages', await savePdf(await startPdf(51)), pages],
  ['no page', writePdf('', { pages: '/Kids [] /Count 0' }), pages],
  [
    'endless pages',
    writePdf('', { pages: `/Kids [${Array.from({ length: 600 }, (_, at) => `${at + 10} 0 R`).join(' ')}]` }),
    pages,
  ],
  ['one page twice', writePdf('', { pages: ofOnePage(2) }), damaged],
  ['pages in a ring', writePdf('', { pages: '/Kids [2 0 R] /Count 1' }), damaged],
  ['no catalog', writePdf('', { trailer: '/Root 77 0 R', catalog: '/Type /Other' }), damaged],
  ['half a PDF', join(pdf.subarray(0, pdf.length / 2)), damaged],
  ['a PDF of random bytes', join('%PDF-1.7\n', makeNoise(200_000)), damaged],
  ['a PDF that is only a frame', join('%PDF-1.7\n', makeNoise(200_000), '\nstartxref\n0\n%%EOF'), damaged],
  ['a PDF of an unknown version', join('%PDF-9.9\n', pdf.subarray(9)), damaged],
  ['a string without an end', writePdf('9 0 obj (text endobj'), damaged],
  ['an object that makes no sense', writePdf('9 0 obj <</A ]>> endobj'), damaged],
  ['one number for two objects', writePdf('9 0 obj /GoTo endobj 9 1 obj /Launch endobj'), damaged],
  [
    'an object that is only a reference',
    writePdf('8 0 obj 7 0 R endobj 7 0 obj /JavaScript endobj 9 0 obj <</S 8 0 R>> endobj'),
    damaged,
  ],
  ['an object with an enormous number', writePdf('9999999999 0 obj null endobj'), damaged],
  [
    'an object stream with a strange filter',
    writePdf(writeStream(9, '/Type /ObjStm /N 1 /First 4 /Filter /LZWDecode', makeNoise(99))),
    damaged,
  ],
  ['arrays a million deep', writePdf(`9 0 obj ${'['.repeat(1_000_000)}`), tooComplex],
  ['dictionaries a million deep', writePdf(`9 0 obj ${'<</A'.repeat(1_000_000)}`), tooComplex],
  ['a million values', writePdf(`9 0 obj [${'0 '.repeat(1_000_000)}] endobj`), tooComplex],
  ['a million values in an object stream', writePdf(packObject(9, `[${'[]'.repeat(1_000_000)}]`)), tooComplex],
  ['a million entries in its table', writePdf(`xref\n0 9\n${'0 0 n '.repeat(1_000_000)}`), tooComplex],
  ['a name of a million letters', writePdf(`9 0 obj /${'n'.repeat(1_000_000)} endobj`), tooComplex],
  ['a number of a million digits', writePdf(`9 0 obj ${'9'.repeat(1_000_000)} endobj`), tooComplex],
  [
    'an object stream that unpacks to 64 MB',
    writePdf(writeStream(9, `/Type /ObjStm /N 1 /First 4 ${flate}`, makeBomb(64_000_000))),
    tooComplex,
  ],
  ['a page that unpacks to 160 MB', writePdf(writeStream(4, flate, makeBomb(160_000_000))), tooComplex],
  [
    'a picture of 100,000 × 100,000 pixels',
    writePdf(writeStream(9, `/Subtype /Image /Width 100000 /Height 100000 ${flate}`, makeBomb(9)), {
      page: '/Resources <</XObject <</X 9 0 R>>>>',
    }),
    tooManyPixels,
  ],
  ['an archive behind it', join(pdf, makeZip()), hiddenFile],
  ['a web page behind it', join(pdf, '<script>alert(1)</script>'), hiddenFile],
  ['an archive between its end and another end', join(pdf, makeZip(), '\n%%EOF\n'), hiddenFile],
  ['something before its beginning', join('<html>', pdf), type],
]

// The same bomb behind filters that a reader undoes, and under a false label.
const bomb = makeBomb(200_000_000)
const behind = (entries: string, data = bomb): Buffer =>
  writePdf(writeStream(9, `${entries} /Length ${data.length}`, data), { page: '/Contents 9 0 R' })
const bombs: Refused[] = [
  ['a bomb under a short name', behind('/Filter /Fl'), tooComplex],
  ['a bomb in hexadecimal', behind('/Filter [/ASCIIHexDecode /FlateDecode]', encodeHex(bomb)), tooComplex],
  ['a bomb in base 85', behind('/Filter [/ASCII85Decode /FlateDecode]', encodeAscii85(bomb)), tooComplex],
  ['a bomb in a bomb', behind('/Filter [/FlateDecode /FlateDecode]', deflateSync(bomb)), tooComplex],
  [
    'white space that unpacks to nothing',
    behind('/Filter [/FlateDecode /ASCIIHexDecode]', makeBomb(999_999_999)),
    tooComplex,
  ],
  [
    'a bomb behind Crypt',
    behind('/Filter [/Crypt /FlateDecode]'),
    unsupported('the filters Crypt and FlateDecode in this order'),
  ],
  ['a bomb by LZW', behind('/Filter /LZWDecode', makeLzwBomb(40)), tooComplex],
  ['a bomb by run length', behind('/Filter /RunLengthDecode', Buffer.alloc(4_000_000, 129)), tooComplex],
  [
    'a bomb of runs of runs',
    behind('/Filter [/RunLengthDecode /RunLengthDecode]', Buffer.alloc(4_000_000, 129)),
    tooComplex,
  ],
  [
    'a bomb of zeros in base 85',
    behind('/Filter [/FlateDecode /ASCII85Decode]', deflateSync(Buffer.alloc(90_000_000, 'z'))),
    tooComplex,
  ],
  [
    'an object stream by LZW that unpacks to 290 MB',
    writePdf(writeStream(9, '/Type /ObjStm /N 1 /First 4 /Filter /LZWDecode', makeLzwBomb(40))),
    tooComplex,
  ],
  [
    'a chain of nine filters',
    behind(`/Filter [${'/ASCIIHexDecode '.repeat(9)}]`),
    unsupported('more than 8 filters in a chain'),
  ],
  ['text that is no LZW', behind('/Filter /LZWDecode', makeNoise(999)), damaged],
  ['a bomb that says it is a picture', behind('/Filter /FlateDecode /Subtype /Image /Width 1 /Height 1'), tooComplex],
  [
    'a picture with a negative side',
    behind('/Filter /FlateDecode /Subtype /Image /Width -1 /Height 900000000'),
    damaged,
  ],
]

/** Pictures that each stay below the limit of one stream, and together do not. */
const swelling = makeBomb(31_000_000)
const picture = `/Subtype /Image /Width 2500 /Height 2000 /Filter [/FlateDecode /DCTDecode]`
const pictureNumbers = Array.from({ length: 12 }, (_, at) => at + 10)
bombs.push([
  'a bomb in twelve pictures',
  writePdf(join(...pictureNumbers.map((number) => writeStream(number, picture, swelling))), {
    page: `/Resources <</XObject <<${pictureNumbers.map((number) => `/X${number} ${number} 0 R`).join(' ')}>>>>`,
  }),
  tooComplex,
])

export const hostilePdfs: Hostile[] = [...scripts, ...actions, ...structures, ...bombs].map(
  ([name, content, problem]) => [`a PDF: ${name}`, send('application/pdf', content), problem],
)
