import { frameQuery, type Setting } from './embedding/brand.ts'
import { noticeScript } from './embedding/notice-script.ts'
import { type Language, languages } from './texts/languages.ts'

type FormFrame = Frame & {
  title: string
  token: string
  formId: string
  script: string
  words: string
}

/** A page without any text of a customer: the script fetches and shows that. */
export function formPage(page: FormFrame): string {
  const { texts } = page.language
  return frame(
    page,
    page.title,
    `<meta name="form-token" content="${escapeHtml(page.token)}">
<meta name="form-id" content="${escapeHtml(page.formId)}">
<script type="module" nonce="${page.nonce}" src="${page.base}/assets/${page.script}"></script>
${page.words && `<link rel="modulepreload" nonce="${page.nonce}" href="${page.base}/assets/${page.words}">`}
<noscript><style nonce="${page.nonce}">#app { display: none }</style></noscript>`,
    `<div id="app" class="shell"><main class="card" aria-busy="true"><p class="quiet" data-failed="${escapeHtml(texts.loadFailed)}">${escapeHtml(texts.loading)}</p></main></div>
<noscript><div class="shell"><main class="card"><h1>${escapeHtml(texts.noScript[0])}</h1>
<p>${escapeHtml(texts.noScript[1])}</p></main></div></noscript>`,
  )
}

/**
 * A page that tells why the form does not open, and what to do. `way`: a link out of it, for a new window. Where a browser
 * opens none, its address can be copied.
 */
export function noticePage(page: Frame & { title: string; text: string; way?: Way }): string {
  const { way } = page
  const link = way
    ? `<p class="lead"><a href="${escapeHtml(way.href)}" target="_blank" rel="noopener noreferrer">${escapeHtml(way.name)}</a></p>
<p class="address"><bdi>${escapeHtml(way.href)}</bdi></p>`
    : ''
  return frame(
    page,
    page.title,
    page.parent ? `<script nonce="${page.nonce}">${noticeScript(page.parent)}</script>` : '',
    `<div class="shell"><main class="card"><div class="status notice"><span class="mark" aria-hidden="true"></span>
<h1>${escapeHtml(page.title)}</h1><p class="lead">${escapeHtml(page.text)}</p>${link}</div></main></div>`,
  )
}

export type Way = { href: string; name: string }

/** Tells the script of the page whose form this is, and who shows it. */
function describe({ brand, parent }: Setting): string {
  const known = { 'form-parent': parent, 'brand-name': brand.name, 'brand-logo': brand.logo }
  const given = Object.entries(known).filter(([, value]) => value !== '')
  return given.map(([name, value]) => `<meta name="${name}" content="${escapeHtml(value)}">`).join('\n')
}

/** The frame of every page. `parent`: the origin of the page that shows this one; empty without a frame. */
type Frame = { nonce: string; base: string; style: string; language: Language; parent?: string; setting?: Setting }

export function frame(
  { nonce, base, style, language, parent = '', setting }: Frame,
  title: string,
  head: string,
  body: string,
): string {
  // Without the built sheet the links still need their distance.
  const sheet = style
    ? `<link rel="stylesheet" nonce="${nonce}" href="${base}/assets/${style}">`
    : `<style nonce="${nonce}">a { display: inline-block; padding: 0.5rem }</style>`
  return `<!doctype html>
<html lang="${language.code}" dir="${language.direction}"${parent && ' class="framed"'}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${style && '<meta name="color-scheme" content="light dark">'}
<meta name="robots" content="noindex">
<meta name="form-base" content="${escapeHtml(base)}">
<title>${escapeHtml(title)}</title>
${sheet}${setting?.brand.style ? `\n<style nonce="${nonce}">${setting.brand.style}</style>` : ''}
${setting ? describe(setting) : ''}
${head}
</head>
<body>
${body}
${supportLine(language, setting?.brand.support)}
${languageLinks(language, parent)}
</body>
</html>
`
}

/** The other languages of a page. Each link names its language as its speakers do, and works without a script. */
function languageLinks({ code, texts }: Language, parent = ''): string {
  const query = parent ? `${frameQuery(parent)}&` : '?'
  const links = languages.map((each) => {
    const current = each.code === code ? ' aria-current="true"' : ''
    return `<li><a href="${escapeHtml(query)}lang=${each.code}" lang="${each.code}" hreflang="${each.code}"${current}>${each.name}</a></li>`
  })
  return `<nav class="languages" aria-label="${escapeHtml(texts.languages)}"><ul>${links.join('')}</ul><p role="status"></p></nav>`
}

/** Tells a customer who is stuck the address of the organization's support. */
function supportLine({ texts }: Language, email = ''): string {
  if (email === '') return ''
  const [label, address] = [escapeHtml(texts.help), escapeHtml(email)]
  return `<section class="support" aria-label="${label}"><p><span>${label}</span>: <a href="mailto:${address}">${address}</a></p></section>`
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
}

/**
 * Allows the scripts of this page alone, by its nonce, and no other host but that of the organization's logo. No page
 * but its parent may show it in a frame.
 */
function pagePolicy(nonce: string, { parent = '', logo = '' } = {}): string {
  const pictures = ["'self'", 'blob:', 'data:', ...(logo ? [new URL(logo).origin] : [])]
  return [
    "default-src 'none'",
    // The decoder of HEIC pictures is WebAssembly.
    `script-src 'nonce-${nonce}' 'wasm-unsafe-eval'`,
    `style-src 'nonce-${nonce}' 'self'`,
    `img-src ${pictures.join(' ')}`,
    "connect-src 'self'",
    "worker-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${parent || "'none'"}`,
  ].join('; ')
}

type Allowed = { parent: string; logo?: string; camera?: boolean }

/** The headers of a page. Older browsers know no policy of frames, but a header against all of them. */
export function pageHeaders(nonce: string, { camera = true, ...allowed }: Allowed): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': pagePolicy(nonce, allowed),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': allowed.parent ? 'cross-origin' : 'same-origin',
    'permissions-policy': `camera=(${camera ? 'self' : ''}), geolocation=(), microphone=()`,
    ...(allowed.parent ? {} : { 'x-frame-options': 'DENY' }),
  }
}
