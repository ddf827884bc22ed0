import { useState } from 'preact/hooks'
import { api } from '../model/api.ts'
import { texts } from '../texts/words.ts'

/** Offers to continue on the phone: a QR code with the address of the form, drawn in the browser. */
export function PhoneOffer() {
  const [code, setCode] = useState<string>()
  const show = async () => {
    const [{ link }, { renderSVG }] = await Promise.all([api.readLink(), import('uqr')])
    setCode(`data:image/svg+xml,${encodeURIComponent(renderSVG(link, { border: 2 }))}`)
  }
  if (!code) {
    return (
      <button type="button" class="link only-mouse" onClick={() => void show().catch(() => undefined)}>
        {texts.phone.offer}
      </button>
    )
  }
  return (
    <section class="qr only-mouse" aria-labelledby="qr-title">
      <img src={code} alt={texts.phone.alt} width={180} height={180} />
      <div>
        <h2 id="qr-title">{texts.phone.title}</h2>
        <p>{texts.phone.text}</p>
        <p class="quiet">{texts.phone.private}</p>
        <button type="button" class="link" onClick={() => setCode(undefined)}>
          {texts.close}
        </button>
      </div>
    </section>
  )
}
