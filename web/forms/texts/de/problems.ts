import type { Texts } from '../en.ts'

const phone = 'Geben Sie die Telefonnummer mit Landesvorwahl ein, zum Beispiel +1 415 555 0123'
const website = 'Geben Sie eine Webadresse wie https://example.com ein'
const email = 'Geben Sie eine E-Mail-Adresse wie name@example.com ein'
const number = '{field}: Geben Sie eine Zahl ein, zum Beispiel 25 oder 12.5'
const choose = '{field}: Wählen Sie aus der Liste'
const fill = 'Bitte ausfüllen: {field}'

export const problems: Texts['problems'] = {
  byName: { phoneNumber: phone, website, email, ownershipPercentage: number },
  byRule: {
    REQUIRED: fill,
    TOO_LONG: '{field}: Bitte kürzen Sie die Angabe',
    'TOO_LONG: {demand}': '{field}: Bitte kürzen Sie die Angabe auf {characters}',
    TOO_SHORT: '{field}: Bitte geben Sie mindestens {characters} ein',
    DATE: '{field}: Geben Sie ein echtes Datum ein, mit Tag, Monat und vierstelligem Jahr',
    POSTAL_CODE: '{field}: In diesem Land hat sie die Form {demand}',
    POSTAL_CODE_LETTERS: '{field}: Verwenden Sie höchstens 20 Buchstaben, Ziffern, Leerzeichen und Bindestriche',
    REGION: choose,
    NATIONAL_ID: '{field}: Geben Sie Land, Art und Nummer zusammen an, oder lassen Sie alle drei leer',
    COUNTRY: '{field}: Wählen Sie ein Land aus der Liste',
    PHONE_NUMBER: phone,
    WEB_ADDRESS: website,
    EMAIL: email,
    NUMBER: number,
    CHOICE: choose,
  },
  invalid: '{field}: Diese Angabe kann nicht verwendet werden. Bitte prüfen Sie sie',
  impossibleDate: '{field}: Dieses Datum kann nicht stimmen. Prüfen Sie Tag, Monat und Jahr',
  refused:
    '{field}: Ihre letzte Änderung konnte nicht gespeichert werden. Prüfen Sie, was jetzt hier steht, und geben Sie sie bei Bedarf erneut ein',
  missing: { fill, choose: 'Bitte wählen: {field}', add: 'Bitte hinzufügen: {field}' },
  noControlPerson:
    'Eine Person muss das Unternehmen kontrollieren, zum Beispiel als Geschäftsführung: Bearbeiten Sie diese Person und antworten Sie dort mit Ja',
}

export const refusedFiles: Texts['files']['refused'] = {
  FILE_SIZE: 'Die Datei ist zu klein oder zu groß: Sie muss 100 KB bis 10 MB haben. Wählen Sie eine andere.',
  FILE_TYPE:
    'Diese Art von Datei kann nicht verwendet werden. Wählen Sie ein Foto (JPG, PNG, HEIC, WebP) oder ein PDF.',
  FILE_DAMAGED: 'Die Datei ist beschädigt und kann nicht geöffnet werden. Wählen Sie eine andere.',
  FILE_PIXELS: 'Das Bild ist zu klein oder zu groß. Nehmen Sie ein neues Foto des Dokuments auf.',
  FILE_ANIMATED: 'Das Bild ist animiert. Wählen Sie ein unbewegtes.',
  FILE_PASSWORD:
    'Die Datei ist mit einem Passwort geschützt. Entfernen Sie das Passwort oder fotografieren Sie das Dokument.',
  FILE_PAGES: 'Die Datei hat zu viele Seiten: 50 sind möglich. Wählen Sie eine kürzere.',
  FILE_CONTENT:
    'Die Datei enthält Teile, die wir nicht annehmen können. Drucken Sie sie in ein neues PDF oder fotografieren Sie das Dokument.',
}
