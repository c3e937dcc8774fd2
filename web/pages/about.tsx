/** What this is and where its numbers come from. */
export default function About() {
  return (
    <section>
      <h1>About</h1>
      <p>
        Millrace reads the validated ledgers of the XRP Ledger, proves each one, and shows what they mean for
        tokens, markets and accounts. Nothing on these pages comes from anywhere else.
      </p>
    </section>
  );
}
