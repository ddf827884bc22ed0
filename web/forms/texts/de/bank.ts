import type { Texts } from '../en.ts'

/** The texts of the form of a bank account, in German. */
export const bank: Texts['bank'] = {
  title: 'Bankkonto',
  brand: 'Bankkonto',
  details: ['Bankkonto', 'Beginnen Sie mit dem Land der Bank. Alles Weitere richtet sich danach.'],
  detailsOf: (name) => `Bankkonto: ${name}`,
  check: [
    'Prüfen Sie das Konto',
    'Vergleichen Sie die Nummern mit den Unterlagen Ihrer Bank. Zahlungen gehen genau auf dieses Konto.',
  ],
  rails: {
    ACH: 'ACH-Überweisung – für alltägliche Zahlungen in US-Dollar',
    WIRE: 'Wire-Überweisung – für große oder eilige Zahlungen in US-Dollar',
    SEPA: 'SEPA-Überweisung in Euro',
    CA_INTERAC: 'Interac e-Transfer in kanadischen Dollar',
    IN_NEFT_RTGS_IMPS: 'NEFT, RTGS oder IMPS in indischen Rupien',
  },
  ways: { interacEmail: 'Per E-Mail', institutionNumber: 'Per Kontonummer' },
  accountTypes: { CHECKING: 'Girokonto', SAVINGS: 'Sparkonto' },
  accountTitle: 'Konto',
  ownerTitle: 'Kontoinhaber',
  ownerIs: (name) => `Das Konto gehört ${name}.`,
  ownerDiffers: 'Der Name am Konto ist anders geschrieben',
  ownerTypes: { INDIVIDUAL: 'Eine Person', BUSINESS: 'Ein Unternehmen' },
  thirdParty: 'Dieses Konto gehört jemand anderem. Geben Sie den Inhaber so an, wie die Bank ihn kennt.',
  withAddress: 'Adresse des Inhabers hinzufügen (freiwillig)',
  toCheck: 'Weiter',
  checking: 'Wird geprüft…',
  save: 'Dieses Konto speichern',
  saving: 'Wird gespeichert…',
  declare: 'Nach dem Speichern ist die Nummer hier verborgen und kann mit diesem Link nicht mehr geändert werden.',
  saved: ['Das Bankkonto ist gespeichert', 'Sie müssen nichts weiter tun und können diese Seite schließen.'],
  savedOther: [
    'Es ist bereits ein Bankkonto gespeichert',
    'Es wurde inzwischen mit diesem Link gespeichert. Ihre Eingaben hier wurden nicht verwendet.',
  ],
  waiting: [
    'Zuerst Ihre Verifizierung',
    'Das Konto muss Ihr eigenes sein oder das Ihres Unternehmens, und der Name ist noch nicht bestätigt. Schließen Sie Ihre Verifizierung ab, oder fragen Sie das Unternehmen, das Ihnen den Link geschickt hat. 30 Minuten lang geht diese Seite von selbst weiter; öffnen Sie danach Ihren Link noch einmal.',
  ],
  closed: [
    'Dieses Formular ist geschlossen',
    'Hier kann kein Bankkonto mehr hinzugefügt werden. Bitten Sie bei Bedarf das Unternehmen, das Ihnen den Link geschickt hat, um einen neuen.',
  ],
  mask: 'Konto',
  closingForGood: (time) =>
    `Zu Ihrer Sicherheit wird dieses Formular um ${time} geschlossen. Speichern Sie das Konto vorher, oder öffnen Sie Ihren Link erneut und beginnen Sie von vorn.`,
  ended:
    'Dieses Formular wurde zu Ihrer Sicherheit geschlossen und hat die Eingaben vergessen. Öffnen Sie den Link, den Sie erhalten haben, und beginnen Sie von vorn.',
  leaveFailed:
    'Ihre Angaben sind von dieser Seite gelöscht, aber das Formular ist noch nicht geschlossen. Wir versuchen es weiter, solange dieses Fenster offen ist.',
  refusals: {
    DUPLICATE_PAYMENT_ACCOUNT:
      'Dieses Konto ist bereits hinterlegt. Geben Sie ein anderes an oder schließen Sie diese Seite.',
    RATE_LIMITED:
      'Aus Ihrem Netz kamen zu viele Anfragen. Versuchen Sie es in einer Minute erneut: Ihre Eingaben bleiben hier.',
    NO_CONNECTION:
      'Es besteht keine Verbindung. Prüfen Sie sie und versuchen Sie es erneut: Ihre Eingaben bleiben hier.',
    OTHER:
      'Das hat nicht funktioniert, und es liegt nicht an Ihnen. Versuchen Sie es in einer Minute erneut: Ihre Eingaben bleiben hier.',
  },
  labels: {
    bankCountry: 'Land der Bank',
    way: 'Wie das Konto erreicht wird',
    'externalBankAccount.bankAccountPaymentMethod': 'Zahlungsweg',
    'externalBankAccount.routingNumber': 'Routing-Nummer',
    'externalBankAccount.accountNumber': 'Kontonummer',
    'externalBankAccount.iban': 'IBAN',
    'externalBankAccount.bicSwift': 'BIC (SWIFT-Code)',
    'externalBankAccount.ifscCode': 'IFSC',
    'externalBankAccount.institutionNumber': 'Institutsnummer',
    'externalBankAccount.transitNumber': 'Transit-Nummer',
    'externalBankAccount.interacEmail': 'E-Mail-Adresse für Interac e-Transfer',
    'externalBankAccount.bankName': 'Name der Bank',
    'externalBankAccount.bankAddress': 'Adresse der Bank',
    'externalBankAccount.bankAccountType': 'Art des Kontos',
    'externalBankAccount.bankAccountOwner': 'Kontoinhaber',
    'bankAccountOwner.type': 'Wem gehört das Konto?',
    'bankAccountOwner.firstName': 'Vorname',
    'bankAccountOwner.lastName': 'Nachname',
    'bankAccountOwner.businessName': 'Name des Unternehmens',
    'bankAccountOwner.email': 'E-Mail-Adresse des Inhabers',
    'bankAccountOwner.address.countryCode': 'Land',
  },
  hints: {
    'externalBankAccount.routingNumber': '9 Ziffern, auf einem Scheck unten links.',
    'externalBankAccount.iban': 'Zum Beispiel DE89 3704 0044 0532 0130 00.',
    'externalBankAccount.bicSwift': '8 oder 11 Zeichen, zum Beispiel COBADEFFXXX.',
    'externalBankAccount.ifscCode': '11 Zeichen, zum Beispiel HDFC0000123.',
    'externalBankAccount.institutionNumber': '3 Ziffern.',
    'externalBankAccount.transitNumber': '5 Ziffern.',
    'externalBankAccount.interacEmail': 'Die Adresse, die Ihre Bank für Interac e-Transfer kennt.',
  },
  endedSaved:
    'Das Bankkonto ist gespeichert. Diese Seite wurde zu Ihrer Sicherheit geschlossen. Öffnen Sie Ihren Link, um das Konto wieder zu sehen.',
  rules: {
    ROUTING_NUMBER: '{field}: Diese Nummer ist nicht gültig. Prüfen Sie alle 9 Ziffern',
    DIGITS: '{field}: Geben Sie {demand} Ziffern ein',
    IBAN_COUNTRY: '{field}: Beginnen Sie mit den zwei Buchstaben eines Landes, zum Beispiel DE',
    IBAN_FORMAT: '{field}: Sie ist zu kurz, zu lang oder enthält ein falsches Zeichen für ihr Land',
    IBAN_CHECK_DIGITS: '{field}: Sie enthält einen Tippfehler. Vergleichen Sie sie mit den Unterlagen Ihrer Bank',
    IBAN_SEPA: '{field}: Dieses Land liegt außerhalb des SEPA-Raums',
    BIC: '{field}: Geben Sie 8 oder 11 Zeichen ein, zum Beispiel COBADEFFXXX',
    IFSC: '{field}: Geben Sie 11 Zeichen ein, zum Beispiel HDFC0000123',
    IBAN_OF_COUNTRY:
      '{field}: Bei einer Bank im gewählten Land beginnt sie mit {demand}. Prüfen Sie die Nummer und das Land',
    OWNER_NAME: '{field}: Dieses Konto muss Ihr eigenes sein. Geben Sie Ihren Namen so ein, wie die Bank ihn schreibt',
    DUPLICATE: '{field}: Dieses Konto ist bereits hinterlegt. Geben Sie ein anderes ein',
  },
}
